// rota::mutex: exclusion, try_lock, unlocking by another goroutine, fairness.
#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <vector>

#include "anywhere.hpp"
#include "parked.hpp"

using namespace std::chrono_literals;
using rota_test::eventually;
using rota_test::go_and_park;
using rota_test::scheduler_state;

static_assert(!std::is_copy_constructible_v<rota::mutex> &&
              !std::is_move_constructible_v<rota::mutex>);
static_assert(std::is_nothrow_default_constructible_v<rota::mutex>);
static constinit rota::mutex static_mutex;  // usable before any constructor runs

TEST_ANYWHERE(mutex, meets_the_standards_lockable_requirements) {
    // The standard's guards could not accept it, or std::lock could deadlock on it: the test would
    // not compile, or hang.
    rota::mutex a;
    rota::mutex b;
    {
        const std::lock_guard guard(a);
    }
    {
        std::unique_lock guard(a, std::defer_lock);
        EXPECT_TRUE(guard.try_lock());
        EXPECT_FALSE(a.try_lock());
        guard.unlock();
        guard.lock();
    }
    {
        const std::scoped_lock both(a, b);
    }
    std::lock(a, b);
    EXPECT_EQ(std::try_lock(a, b), 0);
    a.unlock();
    EXPECT_EQ(std::try_lock(a, b), 1);
    b.unlock();
    EXPECT_EQ(std::try_lock(a, b), -1);
    a.unlock();
    b.unlock();
    const std::lock_guard guard(static_mutex);
}

TEST_ANYWHERE(mutex, excludes_goroutines_and_threads_alike) {
    // Two holders at once would lose increments of a plain counter. The sum would then be too
    // small, and tsan would report it.
    rota::mutex mu;
    long plain = 0;
    constexpr int goroutines = 8, threads = 4;
    constexpr int each = rota_test::scaled(5000);
    const auto work = [&] {
        for (int i = 0; i < each; ++i) {
            const std::lock_guard guard(mu);
            ++plain;
        }
    };
    rota::wait_group wg;
    for (int i = 0; i < goroutines; ++i) wg.go(work);
    std::vector<std::thread> others;
    for (int i = 0; i < threads; ++i) others.emplace_back(work);
    wg.wait();
    for (auto& t : others) t.join();
    EXPECT_EQ(plain, static_cast<long>(goroutines + threads) * each) << scheduler_state();
}

TEST_ANYWHERE(mutex, try_lock_tells_the_truth) {
    // It could fail on a free lock, or take a held lock.
    rota::mutex mu;
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE(mu.try_lock());
        ASSERT_FALSE(mu.try_lock());
        mu.unlock();
    }
    mu.lock();
    std::atomic<bool> ended{false};
    ASSERT_TRUE(go_and_park([&] {
        mu.lock();
        mu.unlock();
        ended = true;
    }));
    EXPECT_FALSE(mu.try_lock()) << "held, with a waiter";
    mu.unlock();
    EXPECT_TRUE(eventually([&] { return mu.try_lock(); }));
    mu.unlock();
    EXPECT_TRUE(eventually([&] { return ended.load(); })) << scheduler_state();
}

TEST_ANYWHERE(mutex, may_be_unlocked_by_another_goroutine) {
    // It could be bound to its holder, or to the holder's thread. The unlock would then be refused,
    // or the waiter not be woken.
    rota::mutex mu;
    for (int i = 0; i < 100; ++i) {
        mu.lock();
        rota::go([&] { mu.unlock(); });
        mu.lock();
        mu.unlock();
    }
    mu.lock();
    std::thread([&] { mu.unlock(); }).join();
    EXPECT_TRUE(mu.try_lock());
    mu.unlock();
}

TEST_ANYWHERE(mutex, waiter_parks_and_is_woken) {
    // A waiter could spin for ever, or the unlock not see it. No park would then be counted, or the
    // waiter would never get the lock.
    rota::mutex mu;
    std::atomic<bool> got{false};
    mu.lock();
    ASSERT_TRUE(go_and_park([&] {
        const std::lock_guard guard(mu);
        got = true;
    }));
    EXPECT_FALSE(got);
    mu.unlock();
    EXPECT_TRUE(eventually([&] { return got.load(); })) << scheduler_state();
    const std::lock_guard wait_until_it_has_left(mu);
}

TEST_ANYWHERE(mutex, holder_may_park) {
    // The lock could belong to the thread, which runs other goroutines meanwhile. They would then
    // enter while the holder sleeps, and the plain counter would be wrong.
    rota::mutex mu;
    int plain = 0;
    rota::wait_group wg;
    for (int i = 0; i < 10; ++i) {
        wg.go([&] {
            for (int k = 0; k < 5; ++k) {
                const std::lock_guard guard(mu);
                const int before = plain;
                rota::sleep_for(50us);
                rota::runtime::gosched();
                plain = before + 1;
            }
        });
    }
    wg.wait();
    EXPECT_EQ(plain, 50);
}

TEST_ANYWHERE(mutex, greedy_holders_cannot_keep_a_waiter_out) {
    // A goroutine that unlocks and locks again at once is always faster than a waiter that must be
    // woken. Without starvation mode the ten acquisitions would take for ever.
    rota::mutex mu;
    std::atomic<bool> stop{false};
    rota::wait_group wg;
    for (int i = 0; i < 2; ++i) {
        wg.go([&] {
            while (!stop) {
                const std::lock_guard guard(mu);
                rota::sleep_for(100us);
            }
        });
    }
    std::atomic<int> acquired{0};
    wg.go([&] {
        for (int i = 0; i < 10; ++i) {
            rota::sleep_for(100us);
            const std::lock_guard guard(mu);
            ++acquired;
        }
        stop = true;
    });
    EXPECT_TRUE(eventually([&] { return acquired == 10; }))
        << acquired << "; " << scheduler_state();
    stop = true;
    wg.wait();
}

TEST_ANYWHERE(mutex, is_as_usable_after_starvation_as_before) {
    // A starvation mode that never ends would hand the lock from waiter to waiter for ever, or lose
    // it. An uncontended try_lock would then fail afterwards.
    rota::mutex mu;
    for (int round = 0; round < 5; ++round) {
        rota::wait_group wg;
        mu.lock();
        for (int i = 0; i < 10; ++i) {
            wg.go([&] {
                const std::lock_guard guard(mu);
                rota::sleep_for(200us);
            });
        }
        rota::sleep_for(3ms);  // makes the waiters starve; its length does not matter
        mu.unlock();
        wg.wait();
        ASSERT_TRUE(mu.try_lock());
        mu.unlock();
    }
}

TEST_ANYWHERE(mutex, many_mutexes_do_not_disturb_each_other) {
    // Waiters of every mutex share a table; a waiter could be woken for another mutex. A plain
    // counter would then be wrong, or a waiter would stay.
    constexpr std::size_t many = 500;
    std::vector<rota::mutex> mutexes(many);
    std::vector<int> counters(many, 0);
    rota::wait_group wg;
    for (int g = 0; g < 8; ++g) {
        wg.go([&] {
            for (std::size_t i = 0; i < many; ++i) {
                const std::lock_guard guard(mutexes[i]);
                const int before = counters[i];
                if (i % 16 == 0) rota::runtime::gosched();
                counters[i] = before + 1;
            }
        });
    }
    wg.wait();
    for (std::size_t i = 0; i < many; ++i) ASSERT_EQ(counters[i], 8) << i;
}
