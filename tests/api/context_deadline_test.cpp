// rota::with_deadline, rota::with_timeout, and channel operations that a context ends.
#include <chrono>
#include <memory>
#include <string>
#include <system_error>
#include <tuple>
#include <vector>

#include "anywhere.hpp"
#include "memory.hpp"
#include "parked.hpp"

using namespace std::chrono_literals;
using rota::background;
using rota::context;
using rota::context_errc;
using rota_test::go_and_park;
using rota_test::resident_kib;
using rota_test::scheduler_state;

TEST_ANYWHERE(context_deadline, ends_it_with_its_own_error) {
    // The deadline could be forgotten, come too early, or set the error of a cancel call.
    const auto before = rota::clock::now();
    auto [ctx, cancel] = rota::with_timeout(background(), 5ms);
    ASSERT_TRUE(ctx.deadline().has_value());
    EXPECT_GE(*ctx.deadline(), before + 5ms);
    EXPECT_FALSE(ctx.done().recv().has_value());
    EXPECT_GE(rota::clock::now(), *ctx.deadline());
    EXPECT_EQ(ctx.err(), context_errc::deadline_exceeded);
    EXPECT_EQ(ctx.cause(), context_errc::deadline_exceeded);
    cancel(std::make_error_code(std::errc::io_error));
    EXPECT_EQ(ctx.err(), context_errc::deadline_exceeded);
    EXPECT_EQ(ctx.cause(), context_errc::deadline_exceeded);
}

TEST_ANYWHERE(context_deadline, that_has_passed_ends_it_at_once) {
    for (const auto& [ctx, cancel] :
         {rota::with_timeout(background(), 0s), rota::with_timeout(background(), -1h),
          rota::with_timeout(background(), std::chrono::hours::min()),
          rota::with_deadline(background(), rota::clock::now() - 1s),
          rota::with_deadline(background(), rota::clock::time_point::min())}) {
        EXPECT_EQ(ctx.err(), context_errc::deadline_exceeded);
        EXPECT_FALSE(ctx.done().recv().has_value());
    }
}

TEST_ANYWHERE(context_deadline, is_the_earliest_of_all_above) {
    // A later deadline could replace an earlier one, or an earlier deadline could have no effect
    // below a later one.
    const auto now = rota::clock::now();
    auto [hour, cancel_hour] = rota::with_deadline(background(), now + 1h);
    auto [day, cancel_day] = rota::with_deadline(hour, now + 24h);
    auto [minute, cancel_minute] = rota::with_deadline(hour, now + 1min);
    auto [below, cancel_below] = rota::with_cancel(minute);
    EXPECT_EQ(hour.deadline(), now + 1h);
    EXPECT_EQ(day.deadline(), now + 1h);
    EXPECT_EQ(minute.deadline(), now + 1min);
    EXPECT_EQ(below.deadline(), now + 1min);
    EXPECT_FALSE(rota::without_cancel(below).deadline().has_value());
    cancel_hour();
    EXPECT_EQ(below.err(), context_errc::canceled);
    EXPECT_EQ(day.err(), context_errc::canceled);
}

TEST_ANYWHERE(context_deadline, travels_down_with_its_error_and_cause) {
    auto [ctx, cancel] =
        rota::with_timeout(background(), 1ms, std::make_error_code(std::errc::host_unreachable));
    auto [child, cancel_child] = rota::with_cancel(ctx);
    auto [later, cancel_later] = rota::with_timeout(ctx, 1h);
    child.done().recv();
    later.done().recv();
    EXPECT_EQ(child.err(), context_errc::deadline_exceeded);
    EXPECT_EQ(later.err(), context_errc::deadline_exceeded);
    EXPECT_EQ(child.cause(), std::errc::host_unreachable);
}

TEST_ANYWHERE(context_deadline, cancel_comes_first_and_releases_the_timer) {
    // The timer could hold the context, and every value that it carries, until the deadline.
    struct carried {
        using value_type = std::shared_ptr<int>;
    };
    std::weak_ptr<int> watched;
    {
        auto value = std::make_shared<int>(1);
        watched = value;
        auto [ctx, cancel] =
            rota::with_timeout(rota::with_value<carried>(background(), std::move(value)), 24h);
        cancel();
        EXPECT_EQ(ctx.err(), context_errc::canceled);
    }
    EXPECT_TRUE(watched.expired());
    auto [parent, cancel_parent] = rota::with_cancel(background());
    auto value = std::make_shared<int>(2);
    watched = value;
    (void)rota::with_timeout(rota::with_value<carried>(parent, std::move(value)), 24h);
    cancel_parent();
    EXPECT_TRUE(watched.expired());
}

TEST_ANYWHERE(context_deadline, beyond_the_end_of_the_clock_is_far_away) {
    // The sum of now and the duration could overflow to the past.
    for (const auto& [ctx, cancel] :
         {rota::with_timeout(background(), std::chrono::hours::max()),
          rota::with_deadline(background(), rota::clock::time_point::max())}) {
        EXPECT_FALSE(ctx.err());
        cancel();
        EXPECT_EQ(ctx.err(), context_errc::canceled);
    }
}

TEST_ANYWHERE(kb50_context, cancel_at_the_moment_of_the_deadline_leaves_one_error) {
    // Both could set it: err, cause and later reads would differ, or the node would be freed twice.
    for (int i = 0; i < rota_test::scaled(2000); ++i) {
        auto [ctx, cancel] = rota::with_timeout(background(), std::chrono::microseconds(i % 50));
        auto [child, cancel_child] = rota::with_cancel(ctx);
        if (i % 3 == 0) rota::runtime::gosched();
        cancel();
        const std::error_code seen = ctx.err();
        ASSERT_TRUE(seen == context_errc::canceled || seen == context_errc::deadline_exceeded);
        ASSERT_EQ(ctx.cause(), seen);
        ASSERT_EQ(child.err(), seen);
    }
    EXPECT_TRUE(rota_test::eventually_alone()) << scheduler_state();
}

TEST_ANYWHERE(context_deadline, wakes_an_acquire) {
    rota::weighted_semaphore sem(1);
    ASSERT_TRUE(sem.try_acquire());
    auto [ctx, cancel] = rota::with_timeout(background(), 2ms);
    EXPECT_EQ(sem.acquire(ctx), context_errc::deadline_exceeded);
    EXPECT_EQ(rota::sleep_for(ctx, 1h), context_errc::deadline_exceeded);
    sem.release();
}

TEST_ANYWHERE(context_select, cancellation_ends_a_send_and_a_receive) {
    // A select with done() could leave a waiter in a channel's list.
    auto [ctx, cancel] = rota::with_cancel(background());
    auto in = rota::make_chan<int>();
    auto out = rota::make_chan<int>();
    rota::wait_group all;
    all.add(2);
    for (int i = 0; i < 2; ++i) {
        ASSERT_TRUE(go_and_park([&, ctx = ctx] {
            bool ended = false;
            rota::select(
                rota::on_recv(in, [](std::optional<int>) {}), rota::on_send(out, 1),
                rota::on_recv(ctx.done(), [&](std::optional<rota::unit>) { ended = true; }));
            EXPECT_TRUE(ended);
            all.done();
        })) << scheduler_state();
    }
    cancel();
    all.wait();
    EXPECT_EQ(in.try_send(1), rota::chan_status::would_block);
    int v = 0;
    EXPECT_EQ(out.try_recv(v), rota::chan_status::would_block);
    std::size_t ran = rota::select(rota::on_recv(background().done()), rota::on_default());
    EXPECT_EQ(ran, 1u);
    ran = rota::select(rota::on_recv(ctx.done()), rota::on_default());
    EXPECT_EQ(ran, 0u);
}

TEST_ANYWHERE(context, a_million_made_and_cancelled_leave_memory_flat) {
    // Children could stay in their parent's list, timers in their heap, and channels could stay
    // without an owner.
    auto [parent, cancel_parent] = rota::with_cancel(background());
    const auto rounds = [&, parent = parent](int n) {
        for (int i = 0; i < n; ++i) {
            auto [ctx, cancel] = rota::with_cancel(parent);
            auto [late, cancel_late] = rota::with_timeout(ctx, 1h);
            if (i % 4 == 0) (void)late.done();
            if (i % 4 == 1) rota::after_func(ctx, [] {})();
            if (i % 4 == 2) (void)rota::with_cancel(ctx);                  // never cancelled
            if (i % 4 == 3) (void)rota::with_cancel(parent).first.done();  // never cancelled either
            cancel();
        }
    };
    const int many = rota_test::scaled(500'000);  // each round makes two contexts
    rounds(many / 10);
    const long before = resident_kib();
    rounds(many);
    const long grown = resident_kib() - before;
    // A leaked node per round would be 100 MiB. The sanitizers keep freed memory.
    if (!rota_test::under_asan && !rota_test::under_tsan) {
        EXPECT_LT(grown, 8 * 1024);
    }
    EXPECT_FALSE(parent.err());
}
