// Checks lookups that never end: the imagined name server does not answer (imagined_names.hpp).
#include <atomic>
#include <chrono>
#include <string>

#include <gtest/gtest.h>
#include <rota/go.hpp>
#include <rota/net.hpp>
#include <rota/runtime.hpp>
#include <rota/sync.hpp>

#include "../eventually.hpp"
#include "imagined_names.hpp"

namespace {

using namespace std::chrono_literals;
namespace net = rota::net;
using rota_test::eventually;
using rota_test::silent_asks;

}  // namespace

TEST(net_lookup, of_names_that_nobody_answers_is_bounded_and_left_with_the_context) {
    // Each lookup could hold a thread. Lookups beyond the bound could wait for their turn after
    // their caller has given up, and leave a goroutine behind.
    rota::run([] {
        constexpr int bound = 64, more = 40;
        const int before = rota::runtime::num_goroutine();
        const auto [ctx, cancel] = rota::with_cancel(rota::background());
        rota::wait_group dialers;
        std::atomic<int> canceled{0};
        for (int i = 0; i < bound + more; ++i) {
            dialers.go([&, i, ctx = ctx] {
                std::error_code error;
                (void)net::dial(ctx, "tcp", "silent-" + std::to_string(i) + ":80", error);
                canceled += error == rota::context_errc::canceled ? 1 : 0;
            });
        }
        EXPECT_TRUE(eventually([] { return silent_asks.load() == bound; })) << silent_asks.load();
        cancel();
        dialers.wait();
        EXPECT_EQ(canceled.load(), bound + more);
        EXPECT_TRUE(eventually([&] { return rota::runtime::num_goroutine() <= before + bound; }))
            << rota::runtime::num_goroutine() << " goroutines, before: " << before;
        EXPECT_EQ(rota_test::silent_begun.load(), bound);
        rota_test::answer_the_silent = true;
        // Fewer, if a goroutine of an earlier test was about to end when they were counted.
        EXPECT_TRUE(eventually([&] { return rota::runtime::num_goroutine() <= before; }))
            << rota::runtime::num_goroutine() << " goroutines, before: " << before;
        std::error_code error;
        EXPECT_TRUE(net::lookup_host("silent-host", error).empty());
        EXPECT_EQ(error, net::net_errc::no_such_host);
        EXPECT_FALSE(net::lookup_host("localhost", error).empty()) << error.message();
    });
}

TEST(net_lookup, of_an_address_in_an_unknown_zone_is_an_error) {
    // The lookup could drop the zone, and the dial ask an address of another link, or of this
    // machine.
    rota::run([] {
        const net::listener l = net::listen("tcp", "[::1]:0");
        const std::string port = std::to_string(l.addr().port());
        std::error_code error;
        for (const std::string zone : {"none_such", "", "eth0%1"}) {
            (void)net::dial("tcp", "[::1%" + zone + "]:" + port, error);
            EXPECT_EQ(error, std::errc::no_such_device) << zone << ": " << error.message();
            EXPECT_TRUE(net::lookup_host("::1%" + zone, error).empty()) << zone;
            EXPECT_EQ(error, std::errc::no_such_device) << zone << ": " << error.message();
        }
        for (const std::string zone : {"lo", "1"}) {
            (void)net::dial("tcp", "[::1%" + zone + "]:" + port, error);
            EXPECT_FALSE(error) << zone << ": " << error.message();
        }
    });
}
