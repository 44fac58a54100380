// Checks TCP in memory, call by call: the properties of the kernel's TCP on which tests with it
// rely.
#include "netpoll/simulated_tcp.hpp"

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>

namespace {

using namespace rota::rt;

constexpr int door = 10, client = 11, server = 12;  // numbers that no other code uses
constexpr std::uint16_t port = 80;

// A kernel, its clock, and shorthands for its calls.
class simulated_tcp_of : public testing::TestWithParam<std::uint64_t> {
  protected:
    simulated_tcp_of() {
        clock_.start(1);
        net_->begin(GetParam());
    }
    ~simulated_tcp_of() override {
        for (int n = door; n < door + 20; ++n)
            if (net_->has(n)) net_->close(n);
        EXPECT_EQ(net_->socket_count(), 0);
    }

    static sockaddr_in at(std::uint16_t p) {
        sockaddr_in a{};
        a.sin_family = AF_INET;
        a.sin_port = htons(p);
        a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        return a;
    }
    void listen(int backlog = 8) {
        const sockaddr_in a = at(port);
        EXPECT_EQ(net_->adopt(door, AF_INET), 0);
        EXPECT_EQ(net_->bind(door, reinterpret_cast<const sockaddr*>(&a), sizeof a), 0);
        EXPECT_EQ(net_->listen(door, backlog), 0);
    }
    int connect(int number = client) {
        const sockaddr_in a = at(port);
        EXPECT_EQ(net_->adopt(number, AF_INET), 0);
        return net_->connect(number, reinterpret_cast<const sockaddr*>(&a), sizeof a);
    }
    // Lets time pass until nothing is on its way.
    void let_all_arrive() {
        while (const std::int64_t next = net_->next_change()) clock_.leap_to(next);
    }
    void open() {
        listen();
        EXPECT_EQ(connect(), -EINPROGRESS);
        let_all_arrive();
        EXPECT_EQ(net_->accept(door, server, nullptr, nullptr), 0);
    }
    std::int64_t send(int number, std::string_view text) {
        const iovec part{const_cast<char*>(text.data()), text.size()};
        return net_->send(number, &part, 1);
    }
    // The bytes that are there, or the error's name.
    std::string receive(int number) {
        char room[100'000];
        const std::int64_t n = net_->receive(number, room, sizeof room, false);
        if (n < 0) return ::strerrorname_np(static_cast<int>(-n));
        return {room, static_cast<std::size_t>(n)};
    }
    int failure(int number) {
        int value = 0;
        EXPECT_EQ(net_->get_option(number, SOL_SOCKET, SO_ERROR, value), 0);
        return value;
    }
    bool can(int number, int what) { return net_->poll(number, static_cast<short>(what)) != 0; }

    virtual_clock_t clock_;
    const std::unique_ptr<simulated_tcp> net_ = std::make_unique<simulated_tcp>(clock_);
};

// Connections that stood at once would hide a caller that does not wait for them.
TEST_P(simulated_tcp_of, connections_take_their_time_and_are_refused_where_nobody_listens) {
    EXPECT_EQ(connect(), -EINPROGRESS);
    EXPECT_FALSE(can(client, EPOLLOUT));
    EXPECT_EQ(failure(client), 0);
    let_all_arrive();
    EXPECT_TRUE(can(client, EPOLLOUT));
    EXPECT_EQ(failure(client), ECONNREFUSED);
    net_->close(client);

    listen();
    EXPECT_EQ(connect(), -EINPROGRESS);
    EXPECT_EQ(net_->accept(door, server, nullptr, nullptr), -EAGAIN);
    EXPECT_EQ(send(client, "x"), -EAGAIN);
    let_all_arrive();
    EXPECT_TRUE(can(client, EPOLLOUT));
    EXPECT_TRUE(can(door, EPOLLIN));
    sockaddr_in from{}, own{};
    std::uint32_t size = sizeof from;
    EXPECT_EQ(net_->accept(door, server, reinterpret_cast<sockaddr*>(&from), &size), 0);
    EXPECT_EQ(net_->address(client, false, reinterpret_cast<sockaddr*>(&own), size), 0);
    EXPECT_EQ(from.sin_port, own.sin_port);
    EXPECT_NE(from.sin_port, 0);
}

// A queue without a limit would never expose a server that does not accept.
TEST_P(simulated_tcp_of, a_full_queue_makes_clients_ask_again) {
    listen(1);  // Linux counts one more than that
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(connect(client + i), -EINPROGRESS);
        clock_.advance(500'000'000);  // each client has asked before the next client
        (void)net_->next_change();
    }
    EXPECT_TRUE(can(client, EPOLLOUT));
    EXPECT_TRUE(can(client + 1, EPOLLOUT));
    EXPECT_FALSE(can(client + 2, EPOLLOUT));
    EXPECT_EQ(net_->accept(door, 20, nullptr, nullptr), 0);
    EXPECT_FALSE(can(client + 2, EPOLLOUT));  // it has not asked again
    let_all_arrive();
    EXPECT_TRUE(can(client + 2, EPOLLOUT));
    // The server never accepts it: in the end the client gets an error.
    EXPECT_EQ(connect(client + 3), -EINPROGRESS);
    let_all_arrive();
    EXPECT_EQ(failure(client + 3), ETIMEDOUT);
}

// Bytes that arrived when they were sent, or buffers without a limit, would hide every short read
// and write.
TEST_P(simulated_tcp_of, bytes_come_later_in_order_and_no_more_than_fit) {
    open();
    EXPECT_EQ(receive(server), "EAGAIN");
    const std::int64_t asked = 10;
    EXPECT_EQ(send(client, "0123456789"), asked);
    EXPECT_EQ(receive(server), "EAGAIN");
    EXPECT_FALSE(can(server, EPOLLIN));
    let_all_arrive();
    EXPECT_TRUE(can(server, EPOLLIN));
    char two[2];
    EXPECT_EQ(net_->receive(server, two, 2, true), 2);
    EXPECT_EQ(net_->receive(server, two, 2, false), 2);
    EXPECT_EQ(receive(server), "23456789");
    std::string sent;
    for (std::int64_t n = 1; n > 0;) {
        const std::string more(1'000, static_cast<char>('a' + sent.size() % 26));
        n = send(client, more);
        if (n > 0) sent += more.substr(0, static_cast<std::size_t>(n));
        if (n < 0) {
            EXPECT_EQ(n, -EAGAIN);
        }
    }
    EXPECT_LE(sent.size(), 64U * 1024);
    EXPECT_FALSE(can(client, EPOLLOUT));
    std::string got;
    while (got.size() < sent.size()) {
        let_all_arrive();
        got += receive(server);
    }
    EXPECT_TRUE(got == sent);
    EXPECT_TRUE(can(client, EPOLLOUT));
}

// The end of one side does not end the other side.
TEST_P(simulated_tcp_of, one_side_ends_while_the_other_goes_on) {
    open();
    EXPECT_EQ(send(client, "asked"), 5);
    EXPECT_EQ(net_->shutdown(client, SHUT_WR), 0);
    EXPECT_EQ(send(client, "more"), -EPIPE);
    let_all_arrive();
    EXPECT_EQ(receive(server), "asked");
    EXPECT_EQ(receive(server), "");
    EXPECT_EQ(receive(client), "EAGAIN");
    EXPECT_EQ(send(server, "answered"), 8);
    net_->close(server);
    let_all_arrive();
    EXPECT_EQ(receive(client), "answered");
    EXPECT_EQ(receive(client), "");
}

// A side that closes with unread bytes, or gets bytes after its close, sends a reset.
TEST_P(simulated_tcp_of, resets_come_as_the_true_ones_do) {
    open();
    EXPECT_EQ(send(client, "unread"), 6);
    let_all_arrive();
    net_->close(server);
    EXPECT_EQ(receive(client), "EAGAIN");
    let_all_arrive();
    EXPECT_EQ(receive(client), "ECONNRESET");
    EXPECT_LT(send(client, "x"), 0);
    net_->close(client);

    EXPECT_EQ(connect(), -EINPROGRESS);
    let_all_arrive();
    EXPECT_EQ(net_->accept(door, server, nullptr, nullptr), 0);
    net_->close(client);
    let_all_arrive();
    EXPECT_EQ(receive(server), "");
    EXPECT_EQ(send(server, "to nobody"), 9);  // the server cannot know yet that the client has gone
    let_all_arrive();
    EXPECT_EQ(send(server, "x"), -EPIPE);

    // a client that no accept has taken when the listener closes
    EXPECT_EQ(connect(), -EINPROGRESS);
    let_all_arrive();
    EXPECT_TRUE(can(client, EPOLLOUT));
    net_->close(door);
    let_all_arrive();
    EXPECT_EQ(receive(client), "ECONNRESET");
}

INSTANTIATE_TEST_SUITE_P(seeds, simulated_tcp_of, testing::Range<std::uint64_t>(1, 40));

}  // namespace
