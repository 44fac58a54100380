// rota::sleep_for, rota::sleep_until and rota::clock.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <random>
#include <thread>
#include <type_traits>
#include <vector>

#include "anywhere.hpp"
#include "parked.hpp"

using namespace std::chrono_literals;
using rota_test::go_and_park;
using rota_test::scheduler_state;

static_assert(rota::clock::is_steady);
static_assert(std::is_same_v<rota::clock::duration, std::chrono::nanoseconds>);

TEST_ANYWHERE(sleep, lasts_at_least_as_long_as_asked) {
    // A duration could be rounded down, or the timer fire early: the clock would have advanced by
    // less.
    for (const auto d : {1ns, 999ns, 50'000ns, 3'000'000ns, 20'000'000ns}) {
        const auto start = rota::clock::now();
        const auto steady_start = std::chrono::steady_clock::now();
        rota::sleep_for(d);
        EXPECT_GE(rota::clock::now() - start, d);
        EXPECT_GE(std::chrono::steady_clock::now() - steady_start, d);
    }
}

TEST_ANYWHERE(sleep, takes_durations_of_every_kind) {
    // Floating point and coarse periods could be truncated to nothing: the sleep would be too
    // short.
    const auto start = rota::clock::now();
    rota::sleep_for(std::chrono::duration<double, std::milli>(1.5));
    rota::sleep_for(std::chrono::duration<float>(0.001f));
    rota::sleep_for(std::chrono::duration<int, std::ratio<1, 500>>(1));
    rota::sleep_for(1ms);
    EXPECT_GE(rota::clock::now() - start, 5'499'999ns);
}

TEST_ANYWHERE(sleep, of_nothing_or_less_returns_at_once) {
    // A negative duration could wrap to a sleep without end.
    rota::sleep_for(0ns);
    rota::sleep_for(0s);
    rota::sleep_for(-1ns);
    rota::sleep_for(-100h);
    rota::sleep_for(std::chrono::nanoseconds::min());
    rota::sleep_for(std::chrono::hours::min());
    rota::sleep_for(std::chrono::duration<double>(-1e300));
    rota::sleep_until(rota::clock::time_point());
    rota::sleep_until(rota::clock::time_point::min());
    rota::sleep_until(rota::clock::now() - 1s);
    rota::sleep_until(rota::clock::now());
}

TEST_ANYWHERE(sleep, until_lasts_until_then) {
    // The point could be taken for a duration, or for a point of another clock: the sleep would end
    // too early, or never.
    const auto until = rota::clock::now() + 5ms;
    rota::sleep_until(until);
    EXPECT_GE(rota::clock::now(), until);
}

TEST_ANYWHERE(sleep, of_maximal_length_does_not_end) {
    // The end could overflow to a moment in the past. A sleeper would then come back while shorter
    // sleeps do.
    static std::atomic<int> came_back{0};
    ASSERT_TRUE(go_and_park([] {
        rota::sleep_for(std::chrono::nanoseconds::max());
        ++came_back;
    }));
    ASSERT_TRUE(go_and_park([] {
        rota::sleep_for(std::chrono::hours::max());
        ++came_back;
    }));
    ASSERT_TRUE(go_and_park([] {
        rota::sleep_for(std::chrono::duration<double>(1e300));
        ++came_back;
    }));
    ASSERT_TRUE(go_and_park([] {
        rota::sleep_until(rota::clock::time_point::max());
        ++came_back;
    }));
    rota_test::leaves_behind(4);
    for (int i = 0; i < 5; ++i) rota::sleep_for(2ms);
    EXPECT_EQ(came_back, 0);
}

TEST_ANYWHERE(sleep, any_number_of_goroutines_may_sleep_at_once) {
    // A timer could be lost when the heap grows, or when timers are removed. A sleeper would then
    // come back too early, or not at all.
    constexpr int many = rota_test::live_goroutines_max / 5;
    std::atomic<int> early{0};
    rota::wait_group wg;
    std::mt19937 random(7);
    for (int i = 0; i < many; ++i) {
        const auto d = std::chrono::microseconds(random() % 20'000);
        wg.go([&early, d] {
            const auto end = rota::clock::now() + d;
            rota::sleep_for(d);
            if (rota::clock::now() < end) ++early;
        });
    }
    wg.wait();
    EXPECT_EQ(early, 0);
}

TEST_ANYWHERE(sleep, ends_while_every_processor_is_busy) {
    // The runtime could look at timers only when it has nothing to run. The sleeper would then not
    // come back before the busy goroutines stop, which wait for it.
    std::atomic<bool> awake{false};
    rota::wait_group wg;
    for (int i = 0; i < 2 * rota::runtime::gomaxprocs(0); ++i) {
        wg.go([&] {
            while (!awake) rota::runtime::gosched();
        });
    }
    wg.go([&] {
        rota::sleep_for(2ms);
        awake = true;
    });
    wg.wait();
}

TEST_ANYWHERE(sleep, ends_while_every_processor_is_in_a_blocking_call) {
    // The timer lies on the heap of a processor whose thread is blocked. If no other thread looked
    // at it, the blocking calls would wait for ever.
    std::atomic<bool> awake{false};
    rota::wait_group wg;
    for (int i = 0; i < rota::runtime::gomaxprocs(0); ++i) {
        wg.go([&] {
            rota::blocking([&] {
                while (!awake) std::this_thread::yield();
            });
        });
    }
    wg.go([&] {
        rota::sleep_for(2ms);
        awake = true;
    });
    wg.wait();
    EXPECT_TRUE(awake) << scheduler_state();
}

TEST(sleep, of_threads_and_goroutines_mix) {
    // A thread sleeps by itself, a goroutine on a heap; a thread's sleep could disturb its next
    // park. The receive behind it would then return too early or never.
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
        threads.emplace_back([t] {
            for (int i = 0; i < 30; ++i) {
                const auto start = rota::clock::now();
                rota::sleep_for(std::chrono::microseconds(50 * t));
                EXPECT_GE(rota::clock::now() - start, std::chrono::microseconds(50 * t));
                auto ch = rota::make_chan<int>();
                rota::go([ch, i] {
                    rota::sleep_for(std::chrono::microseconds(20));
                    ch.send(i);
                });
                ASSERT_EQ(ch.recv(), i);
            }
        });
    }
    for (auto& t : threads) t.join();
}
