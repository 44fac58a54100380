// Checks the count of goroutines that wait for descriptors, after every way in which such a wait
// can end.
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <system_error>
#include <thread>

#include <gtest/gtest.h>
#include <rota/go.hpp>
#include <rota/net.hpp>
#include <rota/sync.hpp>
#include <rota/time.hpp>

#include "netpoll/poller.hpp"

namespace {

using namespace std::chrono_literals;
using rota::rt::net_poller;
namespace net = rota::net;

// The thread that releases a goroutine uncounts it after that: a moment later.
bool nobody_is_counted() {
    const auto until = std::chrono::steady_clock::now() + 20s;
    while (net_poller.has_waiters()) {
        if (std::chrono::steady_clock::now() > until) return false;
        std::this_thread::yield();
    }
    return true;
}

bool somebody_is_counted() {
    const auto until = rota::clock::now() + 20s;
    while (!net_poller.has_waiters()) {
        if (rota::clock::now() > until) return false;
        rota::sleep_for(100us);
    }
    return true;
}

// Starts a read that waits, and ends it by `end`.
void end_a_wait_by(const std::function<void(const net::conn& reader, const net::conn& peer)>& end) {
    if (testing::Test::HasFailure()) return;
    rota::run([&] {
        const net::listener l = net::listen("tcp", "127.0.0.1:0");
        const net::conn peer = net::dial("tcp", l.addr().to_string());
        const net::conn reader = l.accept();
        rota::wait_group reading;
        reading.go([&] {
            std::array<std::byte, 8> room;
            std::error_code error;
            (void)reader.read(room, error);
        });
        EXPECT_TRUE(somebody_is_counted());
        end(reader, peer);
        reading.wait();
    });
    EXPECT_TRUE(nobody_is_counted());
}

TEST(kb35_poller, counts_nobody_after_any_end_of_a_wait) {
    // A count that stays too high silences the deadlock detector for ever. A count that falls too
    // far makes the detector report a false deadlock, and lets every m leave the poller.
    end_a_wait_by([](auto&, auto& peer) { peer.write("x"); });
    end_a_wait_by([](auto&, auto& peer) { peer.close(); });
    end_a_wait_by([](auto& reader, auto&) { reader.close(); });
    end_a_wait_by([](auto& reader, auto&) { reader.set_read_deadline(rota::clock::now() + 1ms); });
    end_a_wait_by([](auto& reader, auto&) {  // in the past: without the heap
        reader.set_read_deadline(rota::clock::time_point(1ns));
    });
}

TEST(kb35_poller, counts_nobody_after_ends_that_race) {
    // Two ends at once: the wait must be uncounted once.
    for (int i = 0; i < 50; ++i) {
        end_a_wait_by([i](auto& reader, auto& peer) {
            rota::wait_group all;
            all.go([&] {
                std::error_code ignored;
                reader.set_read_deadline(rota::clock::now() + std::chrono::microseconds(i),
                                         ignored);
            });
            all.go([&] {
                std::error_code ignored;
                peer.write("x", ignored);
            });
            all.go([&] { reader.close(); });
            all.wait();
        });
    }
}

}  // namespace
