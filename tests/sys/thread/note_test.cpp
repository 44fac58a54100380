// Checks notes and locks with real threads.
#include "sys/thread/note.hpp"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "sys/call/clock.hpp"
#include "sys/thread/lock.hpp"

#include "../../death_tests.hpp"

namespace rota::rt {
namespace {

TEST(note, counts_a_wakeup_that_comes_before_the_sleep) {
    // A wake-up that is lost because no thread sleeps yet leaves the sleeper asleep for ever (known
    // bug 3).
    note n;
    n.wakeup();
    n.sleep();
    n.clear();
    n.wakeup();
    EXPECT_TRUE(n.sleep_until(nanotime() + 1'000'000'000));
}

TEST(note, times_out_and_can_be_used_again) {
    // After a time-out the note must be clear, or the next sleeper meets an old token.
    note n;
    const std::int64_t before = nanotime();
    EXPECT_FALSE(n.sleep_until(before + 5'000'000));
    EXPECT_GE(nanotime(), before + 5'000'000);
    n.wakeup();
    EXPECT_TRUE(n.sleep_until(nanotime() + 1'000'000'000));
}

TEST(note, wakes_each_of_many_rounds_between_two_threads) {
    // A token lost in one round of 100,000 hangs the pair.
    note ping;
    note pong;
    long sum = 0;
    std::thread other([&] {
        for (int i = 0; i < 100'000; ++i) {
            ping.sleep();
            ping.clear();
            sum += i;
            pong.wakeup();
        }
    });
    for (int i = 0; i < 100'000; ++i) {
        ping.wakeup();
        pong.sleep();
        pong.clear();
    }
    other.join();
    EXPECT_EQ(sum, 99'999L * 100'000 / 2);
}

TEST(lock, excludes) {
    // Two holders at once lose increments of a plain counter.
    lock l{lock_rank::sched};
    long counter = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 100'000; ++i) {
                const lock_guard guard(l);
                ++counter;
            }
        });
    }
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(counter, 400'000);
}

#if defined(ROTA_DEBUG_CHECKS)
TEST(kb18_lock_order, dies_when_taken_against_the_order) {
    // Two threads that take two locks in opposite orders deadlock once in a million; the rank check
    // reports it at once.
    EXPECT_DEATH(
        {
            self_header me;
            set_self(&me);
            lock outer{lock_rank::sched};
            lock inner{lock_rank::timers};
            const lock_guard first(outer);
            const lock_guard second(inner);
        },
        "check failed");
}
#endif

}  // namespace
}  // namespace rota::rt
