// rota::weighted_semaphore: weights, order, cancellation.
#include <atomic>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "anywhere.hpp"
#include "parked.hpp"

using rota::background;
using rota::context_errc;
using rota_test::go_and_park;
using rota_test::panic_of;
using rota_test::scheduler_state;

TEST_ANYWHERE(weighted_semaphore, gives_tokens_while_there_are_enough) {
    rota::weighted_semaphore sem(3);
    EXPECT_FALSE(sem.acquire(background(), 2));
    EXPECT_FALSE(sem.try_acquire(2));
    EXPECT_TRUE(sem.try_acquire(1));
    EXPECT_FALSE(sem.try_acquire());
    EXPECT_TRUE(sem.try_acquire(0));
    sem.release(3);
    EXPECT_TRUE(sem.try_acquire(3));
    EXPECT_FALSE(sem.try_acquire(4));
    sem.release(3);
}

TEST_ANYWHERE(weighted_semaphore, release_of_more_than_held_is_a_panic_and_changes_nothing) {
    rota::weighted_semaphore sem(2);
    EXPECT_EQ(panic_of([&] { sem.release(1); }), "semaphore: released more than held");
    ASSERT_TRUE(sem.try_acquire(1));
    EXPECT_EQ(panic_of([&] { sem.release(2); }), "semaphore: released more than held");
    EXPECT_EQ(panic_of([&] { sem.release(-1); }), "semaphore: negative weight");
    EXPECT_EQ(panic_of([&] { (void)sem.try_acquire(-1); }), "semaphore: negative weight");
    EXPECT_EQ(panic_of([&] { (void)sem.acquire(background(), -1); }), "semaphore: negative weight");
    EXPECT_TRUE(sem.try_acquire(1));
    EXPECT_FALSE(sem.try_acquire(1));
    sem.release(2);
}

TEST_ANYWHERE(weighted_semaphore, never_gives_more_than_it_has) {
    // Two goroutines could take the last token: the sum would exceed the size.
    rota::weighted_semaphore sem(5);
    std::atomic<int> held{0}, wrong{0};
    rota::wait_group all;
    for (int w = 0; w < 8; ++w) {
        all.go([&, w] {
            for (int i = 0; i < rota_test::scaled(500); ++i) {
                const int n = 1 + (w + i) % 5;
                if (sem.acquire(background(), n)) ++wrong;
                if (held.fetch_add(n) + n > 5) ++wrong;
                if (i % 16 == 0) rota::runtime::gosched();
                held -= n;
                sem.release(n);
            }
        });
    }
    all.wait();
    EXPECT_EQ(wrong, 0);
    EXPECT_TRUE(sem.try_acquire(5));
}

TEST_ANYWHERE(weighted_semaphore, serves_in_order_and_no_small_request_passes_a_large_one) {
    // If small requests were served whenever they fit, they would starve the large request.
    rota::weighted_semaphore sem(3);
    std::vector<int> order;
    ASSERT_TRUE(sem.try_acquire(2));
    ASSERT_TRUE(go_and_park([&] {
        EXPECT_FALSE(sem.acquire(background(), 3));
        order.push_back(3);
        sem.release(3);
    })) << scheduler_state();
    rota::wait_group small;
    small.add(1);
    ASSERT_TRUE(go_and_park([&] {
        // a token is free, but a request waits before it
        EXPECT_FALSE(sem.acquire(background(), 1));
        order.push_back(1);
        sem.release(1);
        small.done();
    })) << scheduler_state();
    EXPECT_FALSE(sem.try_acquire(1));
    sem.release(2);
    small.wait();
    EXPECT_EQ(order, (std::vector<int>{3, 1}));
}

TEST_ANYWHERE(weighted_semaphore, acquire_ends_with_its_context) {
    rota::weighted_semaphore sem(1);
    ASSERT_TRUE(sem.try_acquire());
    auto [ctx, cancel] = rota::with_cancel(background());
    std::error_code got;
    rota::wait_group all;
    all.add(1);
    ASSERT_TRUE(go_and_park([&, ctx = ctx] {
        got = sem.acquire(ctx);
        all.done();
    })) << scheduler_state();
    cancel();
    all.wait();
    EXPECT_EQ(got, context_errc::canceled);
    EXPECT_EQ(sem.acquire(ctx), context_errc::canceled);
    sem.release();
    EXPECT_EQ(sem.acquire(ctx), context_errc::canceled);  // although a token is free
    EXPECT_TRUE(sem.try_acquire());
}

TEST_ANYWHERE(kb48_weighted_semaphore, a_cancelled_waiter_at_the_head_lets_those_behind_pass) {
    // It could keep blocking them: one token is free, and no waiter is woken.
    rota::weighted_semaphore sem(2);
    ASSERT_TRUE(sem.try_acquire(1));
    auto [ctx, cancel] = rota::with_cancel(background());
    rota::wait_group all;
    all.add(2);
    ASSERT_TRUE(go_and_park([&, ctx = ctx] {
        EXPECT_EQ(sem.acquire(ctx, 2), context_errc::canceled);
        all.done();
    })) << scheduler_state();
    ASSERT_TRUE(go_and_park([&] {
        EXPECT_FALSE(sem.acquire(background(), 1));
        all.done();
    })) << scheduler_state();
    cancel();
    all.wait();
    sem.release(2);
}

TEST_ANYWHERE(kb48_weighted_semaphore, waiters_of_an_ended_context_get_nothing) {
    // The first waiter gives up and lets the second pass, which the cancelling call has not reached
    // yet: the children in between keep that call busy for long enough.
    for (int round = 0; round < 20; ++round) {
        rota::weighted_semaphore sem(2);
        ASSERT_TRUE(sem.try_acquire(1));
        auto [ctx, cancel] = rota::with_cancel(background());
        std::vector<rota::context> between;
        rota::wait_group all;
        all.add(2);
        for (const int weight : {2, 1}) {
            ASSERT_TRUE(go_and_park([&, weight, ctx = ctx] {
                EXPECT_EQ(sem.acquire(ctx, weight), context_errc::canceled) << "of " << weight;
                all.done();
            })) << scheduler_state();
            for (int i = 0; i < 1000; ++i) between.push_back(rota::with_cancel(ctx).first);
        }
        cancel();
        all.wait();
        EXPECT_TRUE(sem.try_acquire(1));
        sem.release(2);
    }
}

TEST_ANYWHERE(weighted_semaphore, more_than_its_size_waits_for_the_context_and_holds_up_nobody) {
    rota::weighted_semaphore sem(2);
    auto [ctx, cancel] = rota::with_cancel(background());
    rota::wait_group all;
    all.add(1);
    ASSERT_TRUE(go_and_park([&, ctx = ctx] {
        EXPECT_EQ(sem.acquire(ctx, 3), context_errc::canceled);
        all.done();
    })) << scheduler_state();
    EXPECT_TRUE(sem.try_acquire(2));
    sem.release(2);
    EXPECT_FALSE(sem.acquire(background(), 2));
    sem.release(2);
    cancel();
    all.wait();
}

TEST_ANYWHERE(kb48_weighted_semaphore, cancellation_and_release_at_once_lose_no_token) {
    // The token could go to a waiter that returns an error: it would be lost for ever.
    rota::weighted_semaphore sem(1);
    for (int i = 0; i < rota_test::scaled(2000); ++i) {
        ASSERT_TRUE(sem.try_acquire()) << "round " << i;
        auto [ctx, cancel] = rota::with_cancel(background());
        rota::wait_group all;
        all.go([&, ctx = ctx] {
            if (!sem.acquire(ctx)) sem.release();
        });
        all.go([&, cancel = cancel] { cancel(); });
        sem.release();
        all.wait();
    }
}

TEST_ANYWHERE(kb47_weighted_semaphore, is_left_alone_by_who_has_given_the_last_token) {
    // The served waiter may destroy the semaphore at once; asan would report a later access.
    for (int i = 0; i < rota_test::scaled(3000); ++i) {
        auto sem = std::make_unique<rota::weighted_semaphore>(1);
        ASSERT_TRUE(sem->try_acquire());
        rota::weighted_semaphore& shared = *sem;
        rota::wait_group all;
        all.go([&] { shared.release(); });
        EXPECT_FALSE(sem->acquire(background()));
        sem.reset();
        all.wait();
    }
}
