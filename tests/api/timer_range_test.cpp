// Timers at the limits of their load: storms of resets, years, the longest intervals.
#include <atomic>
#include <chrono>
#include <random>
#include <vector>

#include <rota/synctest.hpp>

#include "anywhere.hpp"
#include "timers.hpp"

using namespace std::chrono_literals;
using rota_test::is_empty;
using rota_test::scheduler_state;
using time_point = rota::clock::time_point;

TEST_ANYWHERE(kb30_reset_storm, leaves_a_ticker_its_ticks) {
    // 4,000 timers that are moved every 100 us come due all the time. The thread that runs them
    // could do nothing else. The ticks would then not come, and the watchdog would end the test.
    constexpr std::size_t many = rota_test::scaled(4000);
    constexpr std::size_t movers = 2;
    std::vector<rota::timer> timers;
    for (std::size_t i = 0; i < many; ++i) timers.emplace_back(100us);
    std::atomic<bool> stop{false};
    rota::wait_group wg;
    for (std::size_t w = 0; w < movers; ++w) {
        wg.go([&, w] {
            while (!stop) {
                for (std::size_t i = w; i < many; i += movers) (void)timers[i].reset(100us);
                rota::sleep_for(100us);
            }
        });
    }
    const rota::ticker ticks(10ms);
    for (int i = 0; i < 5; ++i) {
        EXPECT_TRUE(ticks.c().recv().has_value()) << scheduler_state();
    }
    stop = true;
    wg.wait();
    ticks.stop();
    for (const rota::timer& t : timers) {
        (void)t.stop();
        EXPECT_TRUE(is_empty(t.c()));
    }
}

TEST_ANYWHERE(kb27_timer, a_hundred_thousand_of_nothing_all_come) {
    // A timer that is due at its start is never the next to come: no thread could look at it.
    constexpr int batch = 1000;
    for (int i = 0; i < rota_test::scaled(100'000); i += batch) {
        std::vector<rota::timer> timers;
        for (int k = 0; k < batch; ++k) timers.emplace_back(std::chrono::nanoseconds(k % 2));
        for (const rota::timer& t : timers) ASSERT_TRUE(t.c().recv().has_value());
    }
}

TEST_ANYWHERE(kb27_timer, a_thousand_moved_at_random_come_at_their_last_moment) {
    // The cached earliest moment could be that of a timer that was moved later, or miss a timer
    // that was moved earlier. A timer would then come too early, or never.
    constexpr int many = 1000;
    std::mt19937 rand(27);
    std::vector<rota::timer> timers;
    std::vector<time_point> due;
    for (int i = 0; i < many; ++i) timers.emplace_back(std::chrono::hours(1 + i));
    for (int round = 0; round < 5; ++round) {
        due.clear();
        for (const rota::timer& t : timers) {
            const auto d = std::chrono::microseconds(rand() % 20'000);
            due.push_back(rota::clock::now() + d);
            (void)t.reset(d);
        }
    }
    for (std::size_t i = 0; i < many; ++i) {
        EXPECT_GE(*timers[i].c().recv(), due[i]) << i << ": " << scheduler_state();
        EXPECT_TRUE(is_empty(timers[i].c()));
    }
}

TEST_ANYWHERE(kb30_timer, three_years_pass_without_a_wrap) {
    // A clock or a heap that counts a unit in 32 bits wraps after days, weeks or months. A timer
    // would then come at another moment, or not at all.
    rota::synctest::test([] {
        constexpr auto three_years = std::chrono::hours(3 * 365 * 24);
        constexpr int many = 1000;
        const time_point start = rota::clock::now();
        int called = 0;
        std::vector<rota::timer> kept;
        for (int i = many; i > 0; --i) {
            const auto d = i * 26h + std::chrono::nanoseconds(i);
            kept.push_back(rota::after_func(d, [&called, start, d] {
                EXPECT_EQ(rota::clock::now() - start, d);
                ++called;
            }));
        }
        const rota::timer never(std::chrono::hours::max());
        const rota::ticker yearly(365 * 24h);
        rota::sleep_for(three_years - 1ns);
        EXPECT_EQ(called, many);
        EXPECT_EQ(*yearly.c().recv() - start, 365 * 24h) << "the first one has been kept";
        EXPECT_EQ(*yearly.c().recv() - start, three_years) << "the second one has been dropped";
        EXPECT_EQ(rota::clock::now() - start, three_years);
        EXPECT_TRUE(is_empty(never.c()));
        EXPECT_TRUE(never.reset(1ns));
        EXPECT_EQ(*never.c().recv() - start, three_years + 1ns);
        yearly.stop();
    });
}

TEST_ANYWHERE(kb30_ticker, of_the_longest_interval_never_ticks_and_may_be_reset) {
    // The next moment could overflow to the past: ticks without end.
    const rota::ticker longest(std::chrono::nanoseconds::max());
    const rota::ticker longer(std::chrono::hours::max());
    EXPECT_TRUE(rota::after(1ms).recv().has_value());
    EXPECT_TRUE(is_empty(longest.c()));
    EXPECT_TRUE(is_empty(longer.c()));
    const time_point start = rota::clock::now();
    longest.reset(1ms);
    EXPECT_GE(*longest.c().recv(), start + 1ms);
    longest.reset(std::chrono::hours::max());
    EXPECT_TRUE(is_empty(longest.c()));
    longest.stop();
    longer.stop();
}
