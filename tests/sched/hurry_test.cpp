// Who is in a hurry beside a ring full of goroutines that compute.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <vector>

#include <gtest/gtest.h>
#include <rota/go.hpp>
#include <rota/runtime.hpp>
#include <rota/sync.hpp>
#include <rota/time.hpp>

#include "../gomaxprocs_restored.hpp"

namespace {

using namespace std::chrono_literals;

TEST(kb10_sleepers, do_not_stand_behind_all_who_compute) {
    // Eight timers are due at a time: all but one goroutine could be put behind the ring, and that
    // one too, when the global queue comes first. Measured in goroutines that have begun meanwhile,
    // which says nothing of the machine.
    constexpr int hogs = 200, sleepers = 8, bound = 50;
    struct sleeper {
        int seen = 0, most = 0;
    };
    std::vector<sleeper> all(sleepers);
    const rota_test::gomaxprocs_restored restored;
    rota::runtime::gomaxprocs(1);
    rota::run([&] {
        std::atomic<int> begun{0}, asleep{0};
        std::atomic<bool> stop{false};
        rota::wait_group group;
        for (sleeper& s : all) {
            group.go([&] {
                ++asleep;
                while (!stop) {
                    rota::sleep_for(1ms);
                    s.most = std::max(s.most, begun - s.seen);
                    s.seen = begun;
                }
            });
        }
        while (asleep < sleepers) rota::runtime::gosched();
        for (int i = 0; i < hogs; ++i) {
            group.go([&] {
                ++begun;
                while (!stop.load(std::memory_order_relaxed)) {
                }
            });
        }
        while (begun < hogs) rota::sleep_for(1ms);
        stop = true;
        group.wait();
    });
    for (const sleeper& s : all) EXPECT_LT(s.most, bound);
}

}  // namespace
