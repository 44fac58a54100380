// Plants the errors that the kernel may return to each call: interruptions everywhere, and a lack
// of memory or descriptors at each place that needs one.
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>
#include <rota/go.hpp>
#include <rota/net.hpp>
#include <rota/sync.hpp>
#include <rota/time.hpp>

#include "sys/call/fault.hpp"

#include "../refusing.hpp"

#if defined(ROTA_DEBUG_CHECKS)

namespace {

using namespace rota::rt;
using rota_test::asked;
using rota_test::refusing;
using namespace std::chrono_literals;
namespace net = rota::net;

bool may_be_interrupted(sys_call call) {
    return call == sys_call::read || call == sys_call::write || call == sys_call::accept ||
           call == sys_call::connect || call == sys_call::poll_wait;
}

int interrupt_every_other(sys_call call) {
    return may_be_interrupted(call) && asked.fetch_add(1) % 2 == 0 ? EINTR : 0;
}

std::string echo(const net::conn& a, const net::conn& b, std::string_view text) {
    std::string got(text.size(), '\0');
    rota::wait_group writer;
    writer.go([&] { a.write(text); });
    got.resize(b.read_full(std::as_writable_bytes(std::span(got))));
    writer.wait();
    return got;
}

TEST(kb42_net, interrupted_calls_are_made_again) {
    // An interruption could be reported as an error or as an end, or lose finished work.
    rota::run([] {
        plant_fault(interrupt_every_other);
        const net::listener l = net::listen("tcp", "127.0.0.1:0");
        for (int i = 0; i < 20; ++i) {
            net::conn server;
            rota::wait_group acceptor;
            acceptor.go([&] { server = l.accept(); });
            const net::conn client = net::dial("tcp", l.addr().to_string());
            acceptor.wait();
            const std::string text(200'000, static_cast<char>('a' + i));
            EXPECT_TRUE(echo(client, server, text) == text);
            EXPECT_EQ(echo(server, client, "back"), "back");
        }
        plant_fault(nullptr);
        EXPECT_GT(asked.load(), 100U);
    });
}

TEST(kb36_net, refusals_at_each_call_come_out_as_they_are) {
    // The runtime could wait for a refusal to pass, lose it, or leave a half-made socket behind.
    rota::run([] {
        const net::listener l = net::listen("tcp", "127.0.0.1:0");
        const std::string at = l.addr().to_string();
        const auto dial_error = [&](sys_call call, int error) {
            const refusing now(call, error);
            std::error_code why;
            EXPECT_FALSE(net::dial("tcp", at, why));
            return why.value();
        };
        EXPECT_EQ(dial_error(sys_call::socket, EMFILE), EMFILE);
        EXPECT_EQ(dial_error(sys_call::socket, ENFILE), ENFILE);
        EXPECT_EQ(dial_error(sys_call::socket, ENOBUFS), ENOBUFS);
        EXPECT_EQ(dial_error(sys_call::poll_add, ENOMEM), ENOMEM);
        EXPECT_EQ(dial_error(sys_call::poll_add, ENOSPC), ENOSPC);
        EXPECT_EQ(dial_error(sys_call::connect, EADDRNOTAVAIL), EADDRNOTAVAIL);
        EXPECT_EQ(dial_error(sys_call::connect, ENETUNREACH), ENETUNREACH);
        const auto listen_error = [&](sys_call call, int error) {
            const refusing now(call, error);
            std::error_code why;
            EXPECT_FALSE(net::listen("tcp", "127.0.0.1:0", why));
            return why.value();
        };
        EXPECT_EQ(listen_error(sys_call::socket, EMFILE), EMFILE);
        EXPECT_EQ(listen_error(sys_call::bind, EADDRINUSE), EADDRINUSE);
        EXPECT_EQ(listen_error(sys_call::listen, EADDRINUSE), EADDRINUSE);
        EXPECT_EQ(listen_error(sys_call::poll_add, ENOMEM), ENOMEM);
        const net::conn client = net::dial("tcp", at);
        std::error_code why;
        for (const int error : {EMFILE, ENFILE, ENOMEM, ENOBUFS}) {
            const refusing now(sys_call::accept, error);
            EXPECT_FALSE(l.accept(why));
            EXPECT_EQ(why.value(), error);
        }
        const net::conn server = l.accept();
        std::array<std::byte, 8> buffer;
        for (const int error : {ECONNRESET, ETIMEDOUT, ENOMEM}) {
            const refusing now(sys_call::read, error);
            EXPECT_EQ(server.read(buffer, why), 0U);
            EXPECT_EQ(why.value(), error);
        }
        for (const int error : {ECONNRESET, EPIPE, ENOBUFS}) {
            const refusing now(sys_call::write, error);
            client.write("x", why);
            EXPECT_EQ(why.value(), error);
        }
        EXPECT_EQ(echo(client, server, "and yet"), "and yet");
    });
}

TEST(net_accept, takes_the_next_when_a_connection_has_gone) {
    rota::run([] {
        const net::listener l = net::listen("tcp", "127.0.0.1:0");
        const net::conn client = net::dial("tcp", l.addr().to_string());
        static std::atomic<int> left{0};
        left = 3;
        plant_fault([](sys_call call) {
            return call == sys_call::accept && left.fetch_sub(1) > 0 ? ECONNABORTED : 0;
        });
        EXPECT_TRUE(l.accept());
        plant_fault(nullptr);
    });
}

TEST(kb36_net, full_queue_of_a_unix_socket_is_not_tried_without_a_pause) {
    // The kernel reports to a sender after each vain attempt that it has room, although nothing has
    // changed.
    rota::run([] {
        const auto name = [](int i) {
            return "@rota-test-" + std::to_string(::getpid()) + "-full-" + std::to_string(i);
        };
        const net::packet_conn a = net::listen_packet("unixgram", name(1));
        const net::packet_conn b = net::listen_packet("unixgram", name(2));
        const auto message = std::as_bytes(std::span("message", 7));
        std::error_code error;
        while (!error) {
            a.set_write_deadline(rota::clock::now() + 10ms);
            a.write_to(message, b.addr(), error);
        }
        EXPECT_EQ(error, std::errc::timed_out);
        a.set_write_deadline({});
        asked = 0;
        plant_fault([](sys_call call) {
            asked += call == sys_call::write ? 1 : 0;
            return 0;
        });
        const auto start = rota::clock::now();
        rota::wait_group sender;
        sender.go([&] { EXPECT_EQ(a.write_to(message, b.addr()), 7U); });
        rota::sleep_for(50ms);  // the time in which the test counts the sender's attempts
        const unsigned tries = asked.load();
        const auto took =
            std::chrono::duration_cast<std::chrono::milliseconds>(rota::clock::now() - start);
        EXPECT_LE(tries, static_cast<unsigned>(took.count()) + 1);
        plant_fault(nullptr);
        std::array<std::byte, 16> buffer;
        EXPECT_EQ(b.read_from(buffer).first, 7U);
        sender.wait();
    });
}

}  // namespace

#endif
