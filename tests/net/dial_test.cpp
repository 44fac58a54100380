// Checks a dial to several addresses: in turn, and two families side by side. The names are
// imagined (imagined_names.hpp); the addresses belong to this machine, and answer, refuse, or hang.
#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>
#include <rota/go.hpp>
#include <rota/net.hpp>
#include <rota/runtime.hpp>
#include <rota/sync.hpp>

#include "net/address.hpp"

#include "../eventually.hpp"
#include "../open_descriptors.hpp"
#include "imagined_names.hpp"

namespace {

using namespace std::chrono_literals;
namespace net = rota::net;
using rota_test::eventually;
using rota_test::imagine;
using rota_test::open_descriptors;

constexpr auto head_start = 300ms;  // of the first family, as rota/net.hpp says
constexpr auto share_min = 2s;      // for one address, from the remaining time

// An address of this machine that refuses, answers, or hangs. While the object lives, it keeps the
// address from other programs.
class place {
  public:
    place(const std::string& host, std::uint16_t port) : at_(*net::literal(host, port)) {
        fd_ = ::socket(net::family_of(at_), SOCK_STREAM | SOCK_CLOEXEC, 0);
        const int only = 1;
        if (net::family_of(at_) == AF_INET6)
            ::setsockopt(fd_, IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof only);
        stands_ = ::bind(fd_, net::as_sockaddr(at_), at_.size()) == 0;
        socklen_t size = net::endpoint::capacity;
        ::getsockname(fd_, static_cast<sockaddr*>(at_.data()), &size);
    }
    ~place() {
        if (filling_ >= 0) ::close(filling_);
        ::close(fd_);
    }
    place(const place&) = delete;
    place& operator=(const place&) = delete;

    bool stands() const { return stands_; }
    const net::endpoint& at() const { return at_; }
    void answer() const { EXPECT_EQ(::listen(fd_, 16), 0); }
    // One connection fills its queue; the kernel does not answer further clients.
    void hang() {
        EXPECT_EQ(::listen(fd_, 0), 0);
        filling_ = ::socket(net::family_of(at_), SOCK_STREAM | SOCK_CLOEXEC, 0);
        EXPECT_EQ(::connect(filling_, net::as_sockaddr(at_), at_.size()), 0);
        EXPECT_TRUE(eventually([&] {
            tcp_info now{};
            socklen_t size = sizeof now;
            ::getsockopt(fd_, IPPROTO_TCP, TCP_INFO, &now, &size);
            // of a listener: the length of its queue, and its limit
            return now.tcpi_unacked > now.tcpi_sacked;
        }));
    }
    // A hanging client tries again within a second or two, and then connects.
    void let_in() const {
        const int taken = ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
        EXPECT_GE(taken, 0);
        ::close(taken);
    }

  private:
    net::endpoint at_;
    int fd_, filling_ = -1;
    bool stands_;
};

// Places of a port, at these hosts; empty if a host is not an address of this machine.
using places = std::vector<std::unique_ptr<place>>;
places places_at(const std::vector<std::string>& hosts) {
    for (int tries = 0; tries < 50; ++tries) {
        places all;
        for (const std::string& host : hosts) {
            all.push_back(std::make_unique<place>(host, all.empty() ? 0 : all[0]->at().port()));
            if (!all.back()->stands()) break;
        }
        if (all.back()->stands()) return all;
    }
    std::printf("no %s here: nothing to be shown\n", hosts.back().c_str());
    return {};
}

const std::vector<std::string> families = {"127.0.0.1", "::1"};

// The address, with the port of `all`, of a name that stands for `all` in this order.
std::string named(const std::string& name, const std::vector<net::endpoint>& all) {
    imagine(name, all);
    return name + ":" + std::to_string(all.back().port());
}

// Checks that a dial leaves nothing behind except its connection.
struct books {
    int descriptors = open_descriptors();
    int goroutines = rota::runtime::num_goroutine();
    void expect(int more) const {
        EXPECT_TRUE(eventually([&] { return open_descriptors() == descriptors + more; }))
            << open_descriptors() << " descriptors, before: " << descriptors;
        // Fewer, if a goroutine of an earlier test was about to end when they were counted.
        EXPECT_TRUE(eventually([&] { return rota::runtime::num_goroutine() <= goroutines; }))
            << rota::runtime::num_goroutine() << " goroutines, before: " << goroutines;
    }
};

// Calls f after the runtime has opened the descriptors that it keeps.
template <class F>
void with_places(const std::vector<std::string>& hosts, F f) {
    rota::run([&] {
        const net::listener warm = net::listen("tcp", "127.0.0.1:0");
        const net::conn there = net::dial("tcp", warm.addr().to_string());
        places all = places_at(hosts);
        if (!all.empty()) f(all);
    });
}

TEST(net_dial_race, second_family_wins_while_the_first_hangs) {
    // The dial might not try the second family, or try it too early. The dial of the first family
    // might go on, and keep its descriptor and goroutine.
    for (const std::size_t first : {0U, 1U}) {
        with_places(families, [&](places& all) {
            place &hanging = *all[first], &good = *all[1 - first];
            hanging.hang();
            good.answer();
            const std::string to = named("two-families", {hanging.at(), good.at()});
            const books before;
            const auto begin = rota::clock::now();
            const net::conn c = net::dial("tcp", to);
            EXPECT_GE(rota::clock::now() - begin, head_start);
            EXPECT_EQ(c.remote_addr(), good.at());
            before.expect(1);
        });
    }
}

TEST(net_dial_race, family_that_fails_lets_the_other_one_begin) {
    // A refusal by one family could be taken for the outcome of the whole dial.
    with_places(families, [](places& all) {
        all[1]->answer();
        const std::string to = named("half-refused", {all[0]->at(), all[1]->at()});
        const books before;
        const net::conn c = net::dial("tcp", to);
        EXPECT_EQ(c.remote_addr(), all[1]->at());
        before.expect(1);
    });
}

TEST(net_dial_race, whoever_connects_as_well_is_closed) {
    // Both families may connect, one after the other or at once: the second connection could stay
    // open for ever.
    with_places(families, [](places& all) {
        for (const auto& one : all) one->hang();
        const std::string to = named("both-late", {all[0]->at(), all[1]->at()});
        const books before;
        net::conn c;
        rota::wait_group dialing;
        dialing.go([&] { c = net::dial("tcp", to); });
        EXPECT_TRUE(eventually([&] { return open_descriptors() == before.descriptors + 2; }));
        for (const auto& one : all) one->let_in();
        dialing.wait();
        EXPECT_TRUE(c.remote_addr() == all[0]->at() || c.remote_addr() == all[1]->at());
        before.expect(1);
    });
}

TEST(net_dial_race, ends_for_both_families_with_the_context) {
    // The dial of one family could be forgotten. Or the error could be that of a deadline that was
    // set to end it.
    with_places(families, [](places& all) {
        for (const auto& one : all) one->hang();
        const std::string to = named("both-hang", {all[0]->at(), all[1]->at()});
        const books before;
        const auto [ctx, cancel] = rota::with_cancel(rota::background());
        std::error_code error;
        rota::wait_group dialing;
        dialing.go([&, ctx = ctx] { (void)net::dial(ctx, "tcp", to, error); });
        EXPECT_TRUE(eventually([&] { return open_descriptors() == before.descriptors + 2; }));
        cancel();
        dialing.wait();
        EXPECT_EQ(error, rota::context_errc::canceled) << error.message();
        const auto [brief, stop] = rota::with_timeout(rota::background(), head_start + 50ms);
        (void)net::dial(brief, "tcp", to, error);
        stop();
        EXPECT_EQ(error, rota::context_errc::deadline_exceeded) << error.message();
        before.expect(0);
    });
}

TEST(net_dial_race, that_fails_everywhere_has_the_error_of_the_first) {
    // The error of the last failure would name an address for which the caller did not ask.
    with_places(families, [](places& all) {
        const net::endpoint refusing = all[0]->at(), other_family = all[1]->at();
        const net::endpoint nowhere = *net::literal("255.255.255.255", refusing.port());
        const net::endpoint zoneless = *net::literal("fe80::1", refusing.port());
        const books before;
        const auto outcome = [](const std::string& to) {
            std::error_code error;
            (void)net::dial("tcp", to, error);
            return error;
        };
        using std::errc;
        EXPECT_EQ(outcome(named("a", {refusing, zoneless})), errc::connection_refused);
        EXPECT_EQ(outcome(named("b", {zoneless, refusing})), errc::invalid_argument);
        EXPECT_EQ(outcome(named("c", {refusing, nowhere})), errc::connection_refused);
        EXPECT_EQ(outcome(named("d", {nowhere, refusing})), errc::network_unreachable);
        EXPECT_EQ(outcome(named("e", {nowhere, refusing, zoneless, other_family})),
                  errc::network_unreachable);
        before.expect(0);
    });
}

TEST(net_dial_in_turn, shares_the_time_of_the_context_out) {
    // An address that hangs could use the whole time, and leave none to the next address.
    with_places({"127.0.0.1", "127.0.0.2"}, [](places& all) {
        all[0]->hang();
        all[1]->answer();
        const std::string to = named("in-turn", {all[0]->at(), all[1]->at()});
        const books before;
        const auto [ctx, stop] = rota::with_timeout(rota::background(), 2 * share_min);
        const auto begin = rota::clock::now();
        std::error_code error;
        const net::conn c = net::dial(ctx, "tcp", to, error);
        EXPECT_FALSE(error) << error.message();
        EXPECT_GE(rota::clock::now() - begin, share_min);
        EXPECT_TRUE(!c || c.remote_addr() == all[1]->at());
        stop();
        before.expect(1);
    });
}

TEST(net_dial_in_turn, without_time_for_all_ends_with_the_context) {
    // The error could be the time-out of an address, which the caller did not set.
    with_places({"127.0.0.1", "127.0.0.2"}, [](places& all) {
        for (const auto& one : all) one->hang();
        const std::string to = named("no-time", {all[0]->at(), all[1]->at()});
        const books before;
        const auto [ctx, stop] = rota::with_timeout(rota::background(), 30ms);
        std::error_code error;
        (void)net::dial(ctx, "tcp", to, error);
        EXPECT_EQ(error, rota::context_errc::deadline_exceeded) << error.message();
        stop();
        before.expect(0);
    });
}

}  // namespace
