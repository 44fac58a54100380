// More clients than a server has room for: which connections get a place, and which lose theirs.
#include <netinet/in.h>
#include <sys/socket.h>

#include <stdexcept>

#include "h2_client.hpp"
#include "no_descriptors.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view crowd_plain = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

void crowd_hello(http::response_writer& w, http::request&) { w.write("hello"); }

// Sends a request, and returns the first twelve bytes of the answer.
std::string asked_again(const net::conn& c) {
    c.set_deadline(in(patience));
    std::error_code error;
    c.write(crowd_plain, error);
    std::string text(4096, '\0');
    text.resize(c.read(std::as_writable_bytes(std::span(text)), error));
    return text.substr(0, 12);
}

constexpr std::string_view ok_line = "HTTP/1.1 200";

http::server_options at_most(std::size_t connections) {
    http::server_options o;
    o.max_connections = connections;
    return o;
}

// Holds the requests for /held until the channel is closed.
auto holding(const rota::chan<rota::unit>& begun, const rota::chan<rota::unit>& over) {
    return [=](http::response_writer& w, http::request& r) {
        if (r.path() == "/held") {
            begun.send({});
            (void)over.recv();
        }
        w.write("hello");
    };
}

}  // namespace

TEST_ANYWHERE(http_crowd, a_newcomer_gets_the_place_that_has_been_idle_for_longest) {
    // Idle connections could keep every place, and the wrong connection could be closed.
    const http_server s(crowd_hello, at_most(3));
    const net::conn first = s.dial(), second = s.dial(), third = s.dial();
    EXPECT_EQ(asked_again(second), ok_line);
    EXPECT_EQ(asked_again(first), ok_line);
    EXPECT_EQ(asked_again(third), ok_line);
    EXPECT_EQ(asked_again(second), ok_line);  // so the first has been idle for longest
    const net::conn newcomer = s.dial();
    EXPECT_EQ(asked_again(newcomer), ok_line);
    EXPECT_EQ(read_to_end(first), "");
    EXPECT_EQ(asked_again(second), ok_line);
    const net::conn another = s.dial();
    EXPECT_EQ(asked_again(another), ok_line);
    EXPECT_EQ(read_to_end(third), "");
    EXPECT_EQ(asked_again(second), ok_line);
    EXPECT_EQ(asked_again(newcomer), ok_line);
}

TEST(http_crowd, connections_that_say_nothing_give_way_too) {
    // A client that opens connections and sends no bytes, or half a head, could keep every other
    // client out.
    rota::run([] {
        const http_server s(crowd_hello, at_most(4));
        std::vector<net::conn> all;
        for (int i = 0; i < 40; ++i) {
            all.push_back(s.dial());
            std::error_code gone;
            all.back().write(i % 2 == 0 ? "" : "GET / HT", gone);
        }
        const net::conn newcomer = s.dial();
        EXPECT_EQ(asked_again(newcomer), ok_line);
    });
}

TEST(http_crowd, a_newcomer_waits_while_all_are_active) {
    // The server must not cut off an answer on its way for a newcomer, and must not lose the
    // newcomer.
    rota::run([] {
        const auto begun = rota::make_chan<rota::unit>(), over = rota::make_chan<rota::unit>();
        const http_server s(holding(begun, over), at_most(2));
        const net::conn first = s.dial(), second = s.dial();
        for (const net::conn* const c : {&first, &second}) {
            c->write("GET /held HTTP/1.1\r\nHost: a\r\n\r\n");
            (void)begun.recv();
        }
        const net::conn third = s.dial();
        third.write(crowd_plain);
        third.set_read_deadline(in(50ms));
        EXPECT_EQ(read_error(third), std::errc::timed_out);
        over.close();
        third.set_read_deadline(in(patience));
        EXPECT_EQ(read_text(third).substr(0, 12), ok_line);
        std::string got;
        for (const net::conn* const c : {&first, &second}) {
            std::error_code error;
            std::string text(4096, '\0');
            c->set_read_deadline(in(patience));
            text.resize(c->read(std::as_writable_bytes(std::span(text)), error));
            got += text.substr(0, 12);
        }
        EXPECT_EQ(got, std::string(ok_line) + std::string(ok_line));
    });
}

TEST(http_crowd, a_place_comes_back_with_each_end_of_a_connection) {
    // A place that is counted twice, or not given back, would close the server step by step.
    rota::run([] {
        auto o = at_most(1);
        o.on_connect = [turn = 0](const net::conn&, const net::endpoint&) mutable {
            return ++turn % 3 != 0;
        };
        const http_server s(
            [](http::response_writer& w, http::request& r) {
                if (r.path() == "/taken") return (void)w.hijack().write("HTTP/1.1 200 OK\r\n\r\n");
                if (r.path() == "/fails") throw std::runtime_error("as it should");
                w.write("hello");
            },
            o);
        testing::internal::CaptureStderr();
        for (int i = 0; i < 30; ++i) {
            const net::conn c = s.dial();
            c.set_deadline(in(patience));
            std::error_code gone;
            c.write(i % 4 == 0   ? "GET /taken HTTP/1.1\r\nHost: a\r\n\r\n"
                    : i % 4 == 1 ? "GET /fails HTTP/1.1\r\nHost: a\r\n\r\n"
                    : i % 4 == 2 ? "nonsense\r\n\r\n"
                                 : crowd_plain,
                    gone);
            std::string text(4096, '\0');
            std::error_code error;
            text.resize(c.read(std::as_writable_bytes(std::span(text)), error));
            EXPECT_EQ(text.empty(), i % 3 == 2) << i;
            EXPECT_NE(error, std::errc::timed_out);
        }
        (void)testing::internal::GetCapturedStderr();
    });
}

TEST(http_crowd, an_idle_connection_of_http2_gives_way_in_order) {
    rota::run([] {
        const auto begun = rota::make_chan<rota::unit>(), over = rota::make_chan<rota::unit>();
        auto o = at_most(1);
        const h2_server s(holding(begun, over), o);
        const h2_client c(s);
        c.send(get(1));
        EXPECT_EQ(c.body(1), "hello");
        const net::conn newcomer = s.dial();
        newcomer.write(crowd_plain);
        const h2_frame last = c.next_of(h2_goaway, 0);
        EXPECT_EQ(last.type, h2_goaway);
        EXPECT_EQ(code_of(last), 0u);
        c.c.close();
        newcomer.set_read_deadline(in(patience));
        EXPECT_EQ(read_text(newcomer).substr(0, 12), ok_line);
    });
}

TEST(http_crowd, without_descriptors_an_idle_connection_gives_way) {
    // Idle connections could keep every descriptor, and every newcomer out.
    rota::run([] {
        const http_server s(crowd_hello);
        const net::conn served = s.dial();
        EXPECT_EQ(asked_again(served), ok_line);
        const int number = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        ASSERT_GE(number, 0);
        {
            const no_descriptors none;
            EXPECT_EQ(asked_again(served), ok_line);  // without a newcomer no connection is closed
            const net::endpoint to = s.listener.addr();
            ASSERT_EQ(::connect(number, static_cast<const sockaddr*>(to.data()), to.size()), 0);
            ASSERT_EQ(::send(number, crowd_plain.data(), crowd_plain.size(), 0),
                      static_cast<ssize_t>(crowd_plain.size()));
            std::array<char, 4096> answer;
            ssize_t size = -1;
            EXPECT_TRUE(eventually([&] {
                size = ::recv(number, answer.data(), answer.size(), MSG_DONTWAIT);
                return size > 0;
            }));
            EXPECT_EQ(std::string_view(answer.data(), 12), ok_line);
            EXPECT_EQ(read_to_end(served), "");
        }
        ::close(number);
    });
}

TEST_ANYWHERE(http_crowd, the_program_refuses_connections) {
    auto o = at_most(0);
    std::atomic<int> seen{0};
    o.on_connect = [&seen](const net::conn& c, const net::endpoint& peer) -> bool {
        EXPECT_EQ(c.remote_addr(), peer);
        const int n = ++seen;
        if (n == 3) throw std::runtime_error("not now");
        return n != 1;
    };
    const http_server s(crowd_hello, o);
    testing::internal::CaptureStderr();
    EXPECT_EQ(asked_again(s.dial()), "");
    EXPECT_EQ(asked_again(s.dial()), ok_line);
    EXPECT_EQ(asked_again(s.dial()), "");
    EXPECT_EQ(asked_again(s.dial()), ok_line);
    const std::string log = testing::internal::GetCapturedStderr();
    EXPECT_NE(log.find("not now"), log.npos) << log;
}
