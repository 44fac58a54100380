// rota::condition_variable: waiting, order, no lost and no spurious wake-ups.
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

#include "anywhere.hpp"
#include "parked.hpp"

using rota_test::eventually;
using rota_test::go_and_park;
using rota_test::scheduler_state;

static_assert(!std::is_copy_constructible_v<rota::condition_variable>);

static constinit rota::condition_variable static_condition;

TEST_ANYWHERE(condition_variable, a_queue_passes_everything_on) {
    // A notification between the unlock and the sleep could be lost. Then the consumer would sleep
    // beside a full queue, and the watchdog would end the test.
    rota::mutex mu;
    rota::condition_variable changed;
    std::deque<int> queue;
    constexpr int producers = 4;
    constexpr int each = rota_test::scaled(1000);
    const auto produce = [&] {
        for (int i = 0; i < each; ++i) {
            {
                const std::lock_guard guard(mu);
                queue.push_back(i);
            }
            changed.notify_one();
        }
    };
    rota::wait_group wg;
    std::atomic<long> got{0};
    for (int i = 0; i < 2; ++i) {
        wg.go([&] {
            for (int k = 0; k < producers * each / 2; ++k) {
                std::unique_lock lock(mu);
                changed.wait(lock, [&] { return !queue.empty(); });
                queue.pop_front();
                ++got;
            }
        });
    }
    for (int i = 0; i < producers - 1; ++i) wg.go(produce);
    std::thread other(produce);
    wg.wait();
    rota::blocking([&] { other.join(); });
    EXPECT_EQ(got, static_cast<long>(producers) * each) << scheduler_state();
}

TEST_ANYWHERE(condition_variable, wakes_in_the_order_of_coming_and_one_at_a_time) {
    // notify_one could wake two waiters, or the last instead of the first.
    rota::mutex mu;
    rota::condition_variable turn;
    std::vector<int> order;
    rota::wait_group wg;
    wg.add(5);
    for (int i = 0; i < 5; ++i) {
        ASSERT_TRUE(go_and_park([&, i] {
            std::unique_lock lock(mu);
            turn.wait(lock);
            order.push_back(i);
            wg.done();
        }));
    }
    for (std::size_t n = 1; n <= 5; ++n) {
        turn.notify_one();
        EXPECT_TRUE(eventually([&] {
            const std::lock_guard guard(mu);
            return order.size() >= n;
        })) << scheduler_state();
        const std::lock_guard guard(mu);
        ASSERT_EQ(order.size(), n);
    }
    wg.wait();
    const std::lock_guard wait_until_it_has_left(mu);
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST_ANYWHERE(condition_variable, notify_all_wakes_all_and_none_that_comes_later) {
    rota::mutex mu;
    rota::condition_variable changed;
    int generation = 0;
    int through = 0;
    rota::wait_group wg;
    constexpr int waiters = 10;
    for (int i = 0; i < waiters; ++i) {
        wg.go([&] {
            std::unique_lock lock(mu);
            while (generation == 0) changed.wait(lock);
            ++through;
        });
    }
    changed.notify_all();  // wakes no waiter, or waiters that check the condition again
    {
        const std::lock_guard guard(mu);
        generation = 1;
    }
    changed.notify_all();
    wg.wait();
    EXPECT_EQ(through, waiters);
    std::atomic<bool> woken{false};
    ASSERT_TRUE(go_and_park([&] {
        std::unique_lock lock(mu);
        changed.wait(lock);
        woken = true;
    }));
    for (int i = 0; i < 100; ++i) rota_test::give_way();
    EXPECT_FALSE(woken) << "a wake-up that nobody sent";
    changed.notify_one();
    EXPECT_TRUE(eventually([&] { return woken.load(); })) << scheduler_state();
    const std::lock_guard wait_until_it_has_left(mu);
}

TEST_ANYWHERE(condition_variable, a_notification_without_waiters_is_not_kept) {
    rota::mutex mu;
    rota::condition_variable changed;
    changed.notify_one();
    changed.notify_all();
    static_condition.notify_one();
    std::atomic<bool> woken{false};
    ASSERT_TRUE(go_and_park([&] {
        std::unique_lock lock(mu);
        changed.wait(lock);
        woken = true;
    }));
    EXPECT_FALSE(woken);
    changed.notify_one();
    EXPECT_TRUE(eventually([&] { return woken.load(); })) << scheduler_state();
    const std::lock_guard wait_until_it_has_left(mu);
}

TEST_ANYWHERE(condition_variable, wait_returns_with_the_lock_held) {
    rota::mutex mu;
    rota::condition_variable changed;
    bool stop = false;
    rota::wait_group wg;
    wg.go([&] {
        std::unique_lock lock(mu);
        changed.wait(lock, [&] { return stop; });
        EXPECT_TRUE(lock.owns_lock());
        EXPECT_FALSE(mu.try_lock());
    });
    {
        const std::lock_guard guard(mu);
        stop = true;
        changed.notify_one();  // with the lock held
    }
    wg.wait();
    std::unique_lock<rota::mutex> none;
    EXPECT_THROW(changed.wait(none), rota::panic_error);
    std::unique_lock unlocked(mu, std::defer_lock);
    EXPECT_THROW(changed.wait(unlocked), rota::panic_error);
    EXPECT_TRUE(mu.try_lock());
    mu.unlock();
}

TEST_ANYWHERE(condition_variable, threads_wait_and_notify_as_goroutines_do) {
    rota::mutex mu;
    rota::condition_variable changed;
    constexpr int rounds = rota_test::scaled(500);
    int turn = 0;
    const auto play = [&](int me) {
        for (int i = 0; i < rounds; ++i) {
            std::unique_lock lock(mu);
            changed.wait(lock, [&] { return turn == me; });
            turn = 1 - me;
            changed.notify_one();
        }
    };
    std::thread other(play, 1);
    play(0);
    rota::blocking([&] { other.join(); });
}

TEST_ANYWHERE(kb47_condition_variable, may_go_as_soon_as_all_have_been_notified) {
    // The notifier, or a leaving waiter, could access it again; asan would report that.
    for (int round = 0; round < rota_test::scaled(2000); ++round) {
        rota::mutex mu;
        auto changed = std::make_unique<rota::condition_variable>();
        bool ready = false;
        rota::wait_group wg;
        wg.go([&] {
            std::unique_lock lock(mu);
            while (!ready) changed->wait(lock);
        });
        {
            const std::lock_guard guard(mu);
            ready = true;
            changed->notify_all();
            changed.reset();
        }
        wg.wait();
    }
}
