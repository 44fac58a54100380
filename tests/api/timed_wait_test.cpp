// Waits with a time limit: condition_variable, semaphores, future.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "anywhere.hpp"
#include "parked.hpp"

using rota_test::eventually;
using rota_test::go_and_park;
using rota_test::scheduler_state;
using namespace std::chrono_literals;

TEST_ANYWHERE(condition_variable_timed, gives_up_after_its_time_and_not_before) {
    rota::mutex mu;
    rota::condition_variable changed;
    std::unique_lock lock(mu);
    const auto begin = rota::clock::now();
    EXPECT_EQ(changed.wait_for(lock, 2ms), std::cv_status::timeout);
    EXPECT_GE(rota::clock::now() - begin, 2ms);
    EXPECT_TRUE(lock.owns_lock());
    EXPECT_EQ(changed.wait_until(lock, rota::clock::now() + 1ms), std::cv_status::timeout);
    EXPECT_EQ(changed.wait_until(lock, std::chrono::steady_clock::now() + 1ms),
              std::cv_status::timeout);
    EXPECT_EQ(changed.wait_until(lock, std::chrono::system_clock::now() + 1ms),
              std::cv_status::timeout);
    EXPECT_EQ(changed.wait_until(lock, std::chrono::system_clock::time_point::min()),
              std::cv_status::timeout);
    EXPECT_EQ(changed.wait_for(lock, -1h), std::cv_status::timeout);
    EXPECT_EQ(changed.wait_for(lock, 0s), std::cv_status::timeout);
    EXPECT_FALSE(changed.wait_for(lock, 1ms, [] { return false; }));
    EXPECT_TRUE(changed.wait_for(lock, 0ms, [] { return true; }));
    EXPECT_FALSE(changed.wait_until(lock, rota::clock::now(), [] { return false; }));
    changed.notify_all();  // waiters that gave up are not in its list
}

TEST_ANYWHERE(condition_variable_timed, is_notified_before_its_time) {
    rota::mutex mu;
    rota::condition_variable changed;
    for (const auto limit : {std::chrono::hours::max(), 1h}) {
        std::atomic<int> notified{0};
        rota::wait_group wg;
        wg.add(1);
        ASSERT_TRUE(go_and_park([&] {
            std::unique_lock lock(mu);
            if (changed.wait_for(lock, limit) == std::cv_status::no_timeout) ++notified;
            wg.done();
        }));
        changed.notify_one();
        wg.wait();
        EXPECT_EQ(notified, 1) << scheduler_state();
        const std::lock_guard wait_until_it_has_left(mu);
    }
}

TEST_ANYWHERE(kb48_condition_variable, each_notification_releases_one_live_waiter) {
    // A notification that goes to a waiter whose time is up could be lost for the remaining
    // waiters. `got` would then stay below the number sent: each notified waiter takes a token.
    rota::mutex mu;
    rota::condition_variable changed;
    int tokens = 0;
    int got = 0;
    bool stop = false;
    constexpr int many = rota_test::scaled(2000);
    rota::wait_group wg;
    const auto take = [&](bool patient) {
        std::unique_lock lock(mu);
        while (!stop) {
            if (tokens > 0) {
                --tokens;
                ++got;
            } else if (patient) {
                changed.wait(lock);
            } else {
                (void)changed.wait_for(lock, 20us);
            }
        }
    };
    for (int i = 0; i < 4; ++i) wg.go([&] { take(false); });
    wg.go([&] { take(true); });
    std::thread other(take, false);
    for (int i = 0; i < many; ++i) {
        {
            const std::lock_guard guard(mu);
            ++tokens;
        }
        changed.notify_one();
        if (i % 16 == 0) rota::sleep_for(20us);
    }
    EXPECT_TRUE(eventually([&] {
        const std::lock_guard guard(mu);
        return got == many;
    })) << got
        << scheduler_state();
    {
        const std::lock_guard guard(mu);
        stop = true;
    }
    changed.notify_all();
    rota::blocking([&] { other.join(); });
    wg.wait();
}

TEST_ANYWHERE(semaphore_timed, gives_up_after_its_time_and_not_before) {
    rota::counting_semaphore<> permits(0);
    const auto begin = rota::clock::now();
    EXPECT_FALSE(permits.try_acquire_for(2ms));
    EXPECT_GE(rota::clock::now() - begin, 2ms);
    EXPECT_FALSE(permits.try_acquire_until(rota::clock::now() + 1ms));
    EXPECT_FALSE(permits.try_acquire_until(std::chrono::system_clock::now() + 1ms));
    EXPECT_FALSE(permits.try_acquire_for(0s));
    EXPECT_FALSE(permits.try_acquire_for(std::chrono::hours::min()));
    permits.release();
    EXPECT_TRUE(permits.try_acquire_for(-1s));
    std::atomic<bool> got{false};
    ASSERT_TRUE(go_and_park([&] { got = permits.try_acquire_for(std::chrono::hours::max()); }));
    permits.release();
    EXPECT_TRUE(eventually([&] { return got.load(); })) << scheduler_state();
    EXPECT_FALSE(permits.try_acquire());
}

TEST_ANYWHERE(kb48_semaphore, a_waiter_that_gives_up_keeps_no_permit) {
    // A permit given at the moment when its time is up could be lost, or be counted twice. The
    // number of permits would then differ between the beginning and the end.
    constexpr int all = 2;
    rota::counting_semaphore<> permits(all);
    const auto work = [&] {
        for (int i = 0; i < rota_test::scaled(500); ++i) {
            if (!permits.try_acquire_for(20us)) continue;
            if (i % 4 == 0) rota::sleep_for(10us);
            permits.release();
        }
    };
    rota::wait_group wg;
    for (int i = 0; i < 6; ++i) wg.go(work);
    std::thread other(work);
    rota::blocking([&] { other.join(); });
    wg.wait();
    for (int i = 0; i < all; ++i) ASSERT_TRUE(permits.try_acquire()) << scheduler_state();
    ASSERT_FALSE(permits.try_acquire());
}

TEST_ANYWHERE(semaphore_timed, those_who_gave_up_are_passed_over) {
    rota::counting_semaphore<> permits(0);
    std::atomic<int> gave_up{0};
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(go_and_park([&] {
            // Enough time to park; a goroutine that is slower does not park.
            if (!permits.try_acquire_for(20ms)) ++gave_up;
        }));
    }
    std::atomic<bool> got{false};
    ASSERT_TRUE(go_and_park([&] {
        permits.acquire();
        got = true;
    }));
    ASSERT_TRUE(eventually([&] { return gave_up == 3; })) << scheduler_state();
    permits.release();
    EXPECT_TRUE(eventually([&] { return got.load(); })) << scheduler_state();
}

TEST_ANYWHERE(future_timed, waits_for_its_time_or_the_result) {
    rota::chan<int> go_on = rota::make_chan<int>();
    rota::future<int> f = rota::async([go_on] { return *go_on.recv(); });
    const auto begin = rota::clock::now();
    EXPECT_FALSE(f.wait_for(2ms));
    EXPECT_GE(rota::clock::now() - begin, 2ms);
    EXPECT_FALSE(f.wait_for(0s));
    EXPECT_FALSE(f.ready());
    rota::go([go_on] {
        rota::sleep_for(1ms);
        go_on.send(7);
    });
    EXPECT_TRUE(f.wait_for(std::chrono::hours::max()));
    EXPECT_TRUE(f.wait_for(0s));
    EXPECT_EQ(f.get(), 7);
    EXPECT_THROW((void)f.wait_for(1ms), rota::panic_error);
}

TEST_ANYWHERE(kb48_future, result_and_time_limit_at_the_same_moment) {
    // The result could miss a waiter that is about to sleep, or wake a waiter whose frame is gone.
    for (int i = 0; i < rota_test::scaled(1000); ++i) {
        rota::future<int> f = rota::async([i] {
            if (i % 2 == 0) rota::sleep_for(10us);
            return i;
        });
        while (!f.wait_for(5us)) {
        }
        ASSERT_EQ(f.get(), i);
        rota::future<void> forgotten = rota::async([] {});
        (void)forgotten.wait_for(1us);
    }
    EXPECT_TRUE(rota_test::eventually_alone());
}
