// rota::after_func(context, f) and std::stop_token: functions that run when a context ends, and
// requests that end a context.
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include <rota/context.hpp>

#include "anywhere.hpp"

using rota::background;
using rota::context;
using rota::context_errc;
using rota_test::eventually;
using rota_test::scheduler_state;

static_assert(
    std::is_same_v<decltype(rota::after_func(background(), [] {})), std::function<bool()>>);

TEST_ANYWHERE(context_after_func, runs_once_in_a_goroutine_of_its_own_when_the_context_ends) {
    // The function could run before the end, in the caller of cancel, twice, or not at all.
    auto [ctx, cancel] = rota::with_cancel(background());
    auto ran = rota::make_chan<std::uint64_t>();
    const auto stop = rota::after_func(ctx, [ran] { ran.send(rota::runtime::goid()); });
    std::uint64_t id = 0;
    EXPECT_EQ(ran.try_recv(id), rota::chan_status::would_block);
    cancel();  // does not wait for the function, which waits for this test
    id = *ran.recv();
    EXPECT_NE(id, 0u);
    EXPECT_NE(id, rota::runtime::goid());
    cancel();
    EXPECT_FALSE(stop());
    EXPECT_EQ(ran.try_recv(id), rota::chan_status::would_block);
}

TEST_ANYWHERE(context_after_func, sees_the_error_and_what_came_before_the_cancellation) {
    auto [ctx, cancel] = rota::with_cancel(background());
    int plain = 0;
    auto seen = rota::make_chan<std::error_code>();
    rota::after_func(ctx, [&plain, seen, ctx = ctx] {
        EXPECT_EQ(plain, 1);
        seen.send(ctx.cause());
    });
    plain = 1;
    cancel(std::make_error_code(std::errc::io_error));
    EXPECT_EQ(seen.recv(), std::make_error_code(std::errc::io_error));
}

TEST_ANYWHERE(context_after_func, runs_at_once_if_the_context_has_ended) {
    // A function that is registered after the end could never be found.
    auto [ctx, cancel] = rota::with_cancel(background());
    cancel();
    auto ran = rota::make_chan<rota::unit>();
    const auto stop = rota::after_func(ctx, [ran] { ran.send({}); });
    ran.recv();
    EXPECT_FALSE(stop());
}

TEST_ANYWHERE(context_after_func, is_stopped_once_and_does_not_run_then) {
    // stop could return true twice, or let the function run.
    auto [ctx, cancel] = rota::with_cancel(background());
    std::atomic<int> ran{0};
    const auto stop = rota::after_func(ctx, [&ran] { ++ran; });
    const auto copy = stop;
    EXPECT_TRUE(stop());
    EXPECT_FALSE(copy());
    cancel();
    EXPECT_TRUE(rota_test::eventually_alone()) << scheduler_state();
    EXPECT_EQ(ran, 0);
}

TEST_ANYWHERE(context_after_func, of_a_context_that_never_ends_can_be_stopped_only) {
    const auto stop = rota::after_func(background(), [] { ADD_FAILURE() << "it ran"; });
    EXPECT_TRUE(stop());
    EXPECT_FALSE(stop());
    auto [parent, cancel] = rota::with_cancel(background());
    const auto shielded = rota::after_func(rota::without_cancel(parent), [] { ADD_FAILURE(); });
    cancel();
    EXPECT_TRUE(shielded());
}

TEST_ANYWHERE(context_after_func, several_run_each_and_a_dropped_stop_function_stops_nothing) {
    auto [ctx, cancel] = rota::with_cancel(background());
    auto ran = rota::make_chan<int>(100);
    for (int i = 0; i < 100; ++i) rota::after_func(ctx, [ran, i] { ran.send(i); });
    cancel();
    int sum = 0;
    for (int i = 0; i < 100; ++i) sum += *ran.recv();
    EXPECT_EQ(sum, 99 * 100 / 2);
}

TEST_ANYWHERE(context_after_func, hears_of_the_parent_when_nobody_holds_the_context) {
    // The context could be forgotten with its last handle, and the function with it.
    auto [parent, cancel] = rota::with_cancel(background());
    auto ran = rota::make_chan<rota::unit>();
    rota::after_func(rota::with_cancel(parent).first, [ran] { ran.send({}); });
    cancel();
    ran.recv();
}

TEST_ANYWHERE(context_after_func, takes_a_function_that_can_only_be_moved_and_lets_it_go) {
    // The function could be copied, or could live on in the list or with the stop function.
    std::weak_ptr<int> watched;
    const auto make = [&watched](const context& ctx) {
        auto value = std::make_shared<int>(1);
        watched = value;
        return rota::after_func(
            ctx, [once = std::make_unique<int>(2), value = std::move(value)] { (void)*once; });
    };
    auto [ctx, cancel] = rota::with_cancel(background());
    auto stop = make(ctx);
    cancel();  // the function runs
    EXPECT_TRUE(eventually([&] { return watched.expired(); })) << scheduler_state();
    auto [other, cancel_other] = rota::with_cancel(background());
    stop = make(other);
    EXPECT_TRUE(stop());  // the function does not run
    stop = nullptr;
    EXPECT_TRUE(watched.expired());
    make(rota::with_cancel(background()).first);  // no call can ever end that context
    EXPECT_TRUE(watched.expired());
}

TEST_ANYWHERE(kb50_context, stop_and_cancel_agree_on_who_was_first) {
    // Both could take the function, or neither: it would run although stop returned false, or it
    // would be lost.
    for (int i = 0; i < rota_test::scaled(3000); ++i) {
        auto [ctx, cancel] = rota::with_cancel(background());
        std::atomic<int> ran{0};
        bool stopped = false;
        rota::wait_group all;
        const auto stop = rota::after_func(ctx, [&ran] { ++ran; });
        all.go([&] { stopped = stop(); });
        cancel();
        all.wait();
        ASSERT_TRUE(eventually([&] { return stopped || ran == 1; })) << scheduler_state();
        ASSERT_TRUE(rota_test::eventually_alone());
        ASSERT_EQ(ran, stopped ? 0 : 1);
    }
}

TEST_ANYWHERE(context_stop_token, is_requested_when_the_context_is_cancelled) {
    // The token could belong to another context, miss the parent's end, or come too late.
    auto [parent, cancel] = rota::with_cancel(background());
    auto [ctx, cancel_ctx] = rota::with_cancel(parent);
    const std::stop_token token = ctx.stop_token();
    EXPECT_TRUE(token.stop_possible());
    EXPECT_FALSE(token.stop_requested());
    EXPECT_TRUE(token == ctx.stop_token());
    int ran = 0;
    const std::stop_callback callback(token, [&ran, &ctx = ctx] {
        EXPECT_EQ(ctx.err(), context_errc::canceled);
        ++ran;
    });
    cancel();
    EXPECT_TRUE(token.stop_requested());
    EXPECT_EQ(ran, 1);
    EXPECT_TRUE(parent.stop_token().stop_requested());  // requested after the end
}

TEST_ANYWHERE(context_stop_token, outlives_the_context_and_hears_of_the_parent) {
    auto [parent, cancel] = rota::with_cancel(background());
    const std::stop_token token = rota::with_cancel(parent).first.stop_token();
    EXPECT_FALSE(token.stop_requested());
    cancel();
    EXPECT_TRUE(token.stop_requested());
}

TEST_ANYWHERE(context_stop_token, cancels_a_context_that_was_made_from_it) {
    // The request could be lost, or the callback could outlive the context.
    std::stop_source source;
    auto [ctx, cancel] = rota::with_stop_token(background(), source.get_token());
    auto [child, cancel_child] = rota::with_cancel(ctx);
    EXPECT_FALSE(ctx.err());
    source.request_stop();
    EXPECT_EQ(ctx.err(), context_errc::canceled);
    EXPECT_EQ(child.err(), context_errc::canceled);

    auto [late, cancel_late] = rota::with_stop_token(background(), source.get_token());
    EXPECT_EQ(late.err(), context_errc::canceled);
    auto [never, cancel_never] = rota::with_stop_token(background(), std::stop_token());
    EXPECT_FALSE(never.err());
    cancel_never();
    EXPECT_EQ(never.err(), context_errc::canceled);

    std::stop_source other;
    {
        auto [gone, cancel_gone] = rota::with_stop_token(ctx, other.get_token());
        auto [ended, cancel_ended] = rota::with_stop_token(background(), other.get_token());
        cancel_ended();
    }
    other.request_stop();
}

TEST_ANYWHERE(context_stop_token, requested_while_the_context_goes_leaves_both_whole) {
    // The callback could find a context that is being destroyed, or could be waited for by itself.
    for (int i = 0; i < rota_test::scaled(1000); ++i) {
        std::stop_source source;
        rota::wait_group all;
        auto [ctx, cancel] = rota::with_stop_token(background(), source.get_token());
        all.go([ctx = std::move(ctx), cancel = std::move(cancel)]() mutable {
            ctx = {};
            cancel = {};
        });
        source.request_stop();
        all.wait();
    }
    EXPECT_TRUE(rota_test::eventually_alone()) << scheduler_state();
}

TEST_ANYWHERE(context_stop_token, callback_that_uses_rota_is_waited_for_by_its_destructor) {
    // The destroyer could run on the thread of the cancelling goroutine, and be taken for the
    // callback itself. Then the objects of the callback would be destroyed while it runs.
    auto busy = rota::make_chan<int>(1);
    for (int i = 0; i < rota_test::scaled(300); ++i) {
        auto [ctx, cancel] = rota::with_cancel(background());
        std::atomic<bool> inside{false}, left{false};
        std::atomic<int> early{0};
        auto ready = rota::make_chan<rota::unit>(1), begun = rota::make_chan<rota::unit>(1);
        rota::wait_group all;
        all.go([&, ctx = ctx] {
            {
                const std::stop_callback callback(ctx.stop_token(), [&] {
                    inside = true;
                    begun.send({});
                    for (int k = 0; k < 200; ++k) {
                        int out = 0;
                        (void)busy.try_send(k);
                        (void)busy.try_recv(out);
                        rota::runtime::gosched();  // a goroutine would give its thread away here
                        if (left) ++early;
                    }
                    inside = false;
                });
                ready.send({});
                begun.recv();
            }
            if (inside) left = true;
        });
        ready.recv();
        cancel();
        all.wait();
        ASSERT_FALSE(left) << "round " << i << ": ~stop_callback returned, its callback ran";
        ASSERT_EQ(early, 0) << "round " << i;
    }
}

TEST_ANYWHERE(context_stop_token, callback_may_destroy_itself_and_cancel_other_contexts) {
    // The callback could wait for its own end, or for the single thread that would have to run the
    // next callback.
    auto busy = rota::make_chan<int>(1);
    auto [ctx, cancel] = rota::with_cancel(background());
    auto [other, cancel_other] = rota::with_cancel(background());
    auto [linked, cancel_linked] = rota::with_stop_token(background(), other.stop_token());
    using function = std::function<void()>;
    std::optional<std::stop_callback<function>> callback;
    callback.emplace(ctx.stop_token(), function([&, cancel_other = cancel_other] {
                         for (int k = 0; k < 200; ++k) (void)busy.try_send(k);
                         cancel_other();
                         EXPECT_EQ(linked.err(), context_errc::canceled);
                         callback.reset();
                     }));
    cancel();
    EXPECT_FALSE(callback);
    EXPECT_TRUE(other.stop_token().stop_requested());
}

TEST_ANYWHERE(context_stop_token, callbacks_of_several_contexts_may_wait_for_each_other) {
    // A single thread for every callback could be blocked by a callback that waits for a later
    // callback.
    constexpr int many = 6;
    std::atomic<int> arrived{0};
    rota::wait_group all;
    for (int i = 0; i < many; ++i) {
        all.go([&] {
            auto [ctx, cancel] = rota::with_cancel(background());
            const std::stop_callback callback(ctx.stop_token(), [&] {
                ++arrived;
                EXPECT_TRUE(rota_test::eventually([&] { return arrived == many; }));
            });
            cancel();
        });
    }
    all.wait();
}

TEST(context_stop_token, serves_a_jthread) {
    // A context must be able to stop a program of std::jthreads, and the other way round.
    std::atomic<bool> ended{false};
    std::jthread worker([&ended](std::stop_token token) {
        auto [ctx, cancel] = rota::with_stop_token(background(), std::move(token));
        ctx.done().recv();
        ended = true;
    });
    worker.request_stop();
    worker.join();
    EXPECT_TRUE(ended);
}
