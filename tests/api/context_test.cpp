// rota::context: cancellation, causes, values, and the effect of a cancellation on a tree.
#include <atomic>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>
#include <vector>

#include <rota/context.hpp>

#include "anywhere.hpp"

using rota::background;
using rota::cancel_func;
using rota::context;
using rota::context_errc;
using rota_test::eventually;

static_assert(std::is_nothrow_copy_constructible_v<context>);
static_assert(std::is_nothrow_default_constructible_v<context>);
static_assert(
    std::is_same_v<decltype(rota::with_cancel(background())), std::pair<context, cancel_func>>);

namespace {

struct user_id {
    using value_type = int;
};
struct request {
    using value_type = std::string;
};
struct held {
    using value_type = std::shared_ptr<int>;
};

bool is_closed(const context& ctx) {
    rota::unit u;
    return ctx.done().try_recv(u) == rota::chan_status::closed;
}

}  // namespace

TEST_ANYWHERE(context, background_is_never_done_and_holds_nothing) {
    // The root could have a channel on which goroutines wait in vain, or an error. Then done()
    // would not be the nil channel.
    const context ctx = background();
    EXPECT_FALSE(ctx.done());
    EXPECT_FALSE(ctx.err());
    EXPECT_FALSE(ctx.cause());
    EXPECT_FALSE(ctx.deadline().has_value());
    EXPECT_FALSE(ctx.stop_token().stop_possible());
    EXPECT_EQ(ctx.value<user_id>(), nullptr);
    EXPECT_TRUE(ctx == context());
}

TEST_ANYWHERE(context, a_copy_is_the_same_context) {
    // A copy with its own state would miss the cancellation.
    const auto [ctx, cancel] = rota::with_cancel(background());
    const context same = ctx;
    EXPECT_TRUE(same == ctx);
    EXPECT_TRUE(same.done() == ctx.done());
    const auto err_by_value = [ctx = ctx] { return ctx.err(); };
    EXPECT_FALSE(err_by_value());
    const cancel_func copied = cancel;
    copied();
    EXPECT_EQ(err_by_value(), context_errc::canceled);
    EXPECT_EQ(same.err(), context_errc::canceled);
}

TEST_ANYWHERE(context, errors_have_the_texts_of_go) {
    // The category could be a foreign one, or the codes could be mixed up. Then message or name
    // would differ.
    const std::error_code canceled = context_errc::canceled;
    const std::error_code late = context_errc::deadline_exceeded;
    EXPECT_EQ(canceled.message(), "context canceled");
    EXPECT_EQ(late.message(), "context deadline exceeded");
    EXPECT_STREQ(canceled.category().name(), "context");
    EXPECT_EQ(canceled, std::errc::operation_canceled);
    EXPECT_EQ(late, std::errc::timed_out);
    EXPECT_NE(canceled, late);
}

TEST_ANYWHERE(context, cancel_ends_it_for_good) {
    // err could be set without done, or could change with a second call. Then err or done would say
    // that the context lives, or the cause would change.
    auto [ctx, cancel] = rota::with_cancel(background());
    const auto done = ctx.done();
    EXPECT_TRUE(done);
    EXPECT_TRUE(done == ctx.done());
    EXPECT_FALSE(ctx.err());
    EXPECT_FALSE(ctx.cause());
    EXPECT_FALSE(is_closed(ctx));
    cancel();
    EXPECT_EQ(ctx.err(), context_errc::canceled);
    EXPECT_EQ(ctx.cause(), context_errc::canceled);
    EXPECT_FALSE(done.recv().has_value());
    cancel(std::make_error_code(std::errc::io_error));
    EXPECT_EQ(ctx.err(), context_errc::canceled);
    EXPECT_EQ(ctx.cause(), context_errc::canceled);
    EXPECT_FALSE(ctx.deadline().has_value());
}

TEST_ANYWHERE(context, done_that_is_asked_for_after_the_end_is_closed) {
    // The channel is made late; it could miss the earlier end. Then the test would wait for ever.
    auto [ctx, cancel] = rota::with_cancel(background());
    cancel();
    EXPECT_FALSE(ctx.done().recv().has_value());
}

TEST_ANYWHERE(context, cancellation_travels_down_and_not_up) {
    // A level could be missed, above all with a value in between; or the parent could end with the
    // child.
    auto [top, cancel_top] = rota::with_cancel(background());
    const context carrier = rota::with_value<user_id>(top, 7);
    auto [middle, cancel_middle] = rota::with_cancel(carrier);
    auto [leaf, cancel_leaf] = rota::with_cancel(rota::with_value<request>(middle, "r"));
    auto [other, cancel_other] = rota::with_cancel(top);

    cancel_middle();
    EXPECT_EQ(leaf.err(), context_errc::canceled);
    EXPECT_TRUE(is_closed(leaf));
    EXPECT_FALSE(top.err());
    EXPECT_FALSE(carrier.err());
    EXPECT_FALSE(other.err());
    cancel_top();
    EXPECT_EQ(carrier.err(), context_errc::canceled);
    EXPECT_TRUE(is_closed(carrier));
    EXPECT_EQ(other.err(), context_errc::canceled);
    EXPECT_TRUE(is_closed(other));
}

TEST_ANYWHERE(context, child_of_a_cancelled_parent_is_cancelled_at_once) {
    // Registered after the parent's end, the child would never be told. Then it would have no
    // error.
    auto [parent, cancel] = rota::with_cancel(background());
    cancel(std::make_error_code(std::errc::io_error));
    auto [child, cancel_child] = rota::with_cancel(parent);
    EXPECT_EQ(child.err(), context_errc::canceled);
    EXPECT_EQ(child.cause(), std::errc::io_error);
    EXPECT_TRUE(is_closed(child));
}

TEST_ANYWHERE(context, cause_is_that_of_the_first_cancellation_on_the_way_down) {
    // The parent could overwrite a child's own cause, or the parent's cause could fail to reach the
    // child.
    auto [top, cancel_top] = rota::with_cancel(background());
    auto [early, cancel_early] = rota::with_cancel(top);
    auto [late, cancel_late] = rota::with_cancel(rota::with_value<user_id>(top, 1));
    cancel_early(std::make_error_code(std::errc::broken_pipe));
    cancel_top(std::make_error_code(std::errc::io_error));
    cancel_late(std::make_error_code(std::errc::address_in_use));
    EXPECT_EQ(early.cause(), std::errc::broken_pipe);
    EXPECT_EQ(late.cause(), std::errc::io_error);
    EXPECT_EQ(late.err(), context_errc::canceled);
    EXPECT_EQ(top.cause(), std::errc::io_error);

    auto [plain, cancel_plain] = rota::with_cancel(background());
    cancel_plain(std::error_code());  // no error means no cause
    EXPECT_EQ(plain.cause(), context_errc::canceled);
}

TEST_ANYWHERE(context, value_is_the_nearest_of_its_key) {
    // The lookup could stop at a context without a value, or find an outer value first.
    const context outer = rota::with_value<user_id>(background(), 1);
    auto [middle, cancel] = rota::with_cancel(rota::with_value<request>(outer, "outer"));
    const context inner = rota::with_value<user_id>(middle, 2);
    ASSERT_NE(inner.value<user_id>(), nullptr);
    EXPECT_EQ(*inner.value<user_id>(), 2);
    EXPECT_EQ(*middle.value<user_id>(), 1);
    EXPECT_EQ(*inner.value<request>(), "outer");
    EXPECT_EQ(outer.value<request>(), nullptr);
    EXPECT_EQ(inner.value<held>(), nullptr);
    cancel();
    EXPECT_EQ(*inner.value<user_id>(), 2);
    static_assert(std::is_same_v<decltype(inner.value<request>()), const std::string*>);
}

TEST_ANYWHERE(context, value_lives_as_long_as_a_context_that_can_see_it) {
    // The value could die with the handle with which it was made, or never.
    std::weak_ptr<int> watched;
    context leaf;
    cancel_func cancel;
    {
        auto value = std::make_shared<int>(5);
        watched = value;
        std::tie(leaf, cancel) =
            rota::with_cancel(rota::with_value<held>(background(), std::move(value)));
    }
    EXPECT_EQ(**leaf.value<held>(), 5);
    cancel();
    EXPECT_FALSE(watched.expired());
    leaf = background();
    cancel = {};
    EXPECT_TRUE(watched.expired());
}

TEST_ANYWHERE(context, without_cancel_keeps_values_and_nothing_else) {
    // The parent's end or deadline could pass through.
    auto [parent, cancel] = rota::with_cancel(rota::with_value<user_id>(background(), 3));
    const context free = rota::without_cancel(parent);
    auto [child, cancel_child] = rota::with_cancel(free);
    cancel(std::make_error_code(std::errc::io_error));
    EXPECT_FALSE(free.err());
    EXPECT_FALSE(free.cause());
    EXPECT_FALSE(free.done());
    EXPECT_FALSE(child.err());
    EXPECT_EQ(*free.value<user_id>(), 3);
    EXPECT_EQ(*child.value<user_id>(), 3);
    cancel_child();
    EXPECT_EQ(child.err(), context_errc::canceled);
}

TEST_ANYWHERE(context, waiters_on_done_wake_and_see_the_error) {
    // A waiter could sleep on, or wake before the error is set.
    auto [ctx, cancel] = rota::with_cancel(background());
    std::atomic<int> seen{0};
    rota::wait_group all;
    const int many = 50;
    for (int i = 0; i < many; ++i) {
        all.go([ctx = ctx, &seen] {
            EXPECT_FALSE(ctx.done().recv().has_value());
            if (ctx.err() == context_errc::canceled) ++seen;
        });
    }
    rota::runtime::gosched();
    cancel();
    all.wait();
    EXPECT_EQ(seen, many);
}

TEST_ANYWHERE(kb50_context, error_and_channel_say_the_same_at_every_moment) {
    // err() could be set before done is closed, or the other way round. Then a loop that reads the
    // first and waits for the second would spin or hang.
    for (int i = 0; i < rota_test::scaled(2000); ++i) {
        auto [ctx, cancel] = rota::with_cancel(background());
        const auto done = ctx.done();
        rota::wait_group all;
        all.go([ctx = ctx] {
            if (!eventually([&] { return static_cast<bool>(ctx.err()); })) return;
            EXPECT_TRUE(is_closed(ctx));
        });
        all.go([ctx = ctx, done] {
            done.recv();
            EXPECT_EQ(ctx.err(), context_errc::canceled);
        });
        cancel();
        all.wait();
    }
}

TEST_ANYWHERE(kb50_context, a_hundred_layers_are_cancelled_from_all_nodes_at_once) {
    // Locks taken upwards in one place and downwards in another would wait for each other. A child
    // that is registered after its parent's end would be forgotten. Then the watchdog would end the
    // test, or a node would stay alive.
    for (int round = 0; round < 10; ++round) {
        std::vector<context> nodes{background()};
        std::vector<cancel_func> cancels;
        for (int layer = 0; layer < 100; ++layer) {
            auto [ctx, cancel] = rota::with_cancel(nodes.back());
            nodes.push_back(ctx);
            cancels.push_back(cancel);
        }
        rota::wait_group all;
        std::atomic<int> alive{0};
        for (std::size_t i = 0; i < cancels.size(); ++i) {
            all.go([&, i] {
                auto [own, cancel_own] = rota::with_cancel(nodes[i + 1]);
                cancels[i]();
                // Every node below is cancelled when the call returns, whichever goroutine
                // cancelled it.
                for (std::size_t k = i + 1; k < nodes.size(); ++k) alive += !nodes[k].err();
                alive += !own.err();
            });
        }
        all.wait();
        ASSERT_EQ(alive, 0);
    }
}

TEST_ANYWHERE(kb50_context, a_child_made_while_the_parent_is_cancelled_is_cancelled) {
    // The parent could end between the check of the parent and the entry into its list.
    for (int i = 0; i < rota_test::scaled(3000); ++i) {
        auto [parent, cancel] = rota::with_cancel(background());
        context child;
        cancel_func cancel_child;
        rota::wait_group all;
        all.go([&, parent = parent] { std::tie(child, cancel_child) = rota::with_cancel(parent); });
        cancel();
        all.wait();
        ASSERT_EQ(child.err(), context_errc::canceled);
    }
}

TEST_ANYWHERE(context, a_hundred_thousand_children_are_cancelled_at_once) {
    // A recursive walk, or a list that is searched for each child, would exhaust the stack or the
    // patience.
    auto [parent, cancel] = rota::with_cancel(background());
    const int many = rota_test::scaled(100'000);
    std::vector<context> children;
    for (int i = 0; i < many; ++i) children.push_back(rota::with_cancel(parent).first);
    cancel();
    int alive = 0;
    for (const context& c : children) alive += !c.err();
    EXPECT_EQ(alive, 0);
}

TEST_ANYWHERE(context, a_chain_of_a_hundred_thousand_is_cancelled_and_destroyed) {
    // If each level were a call deeper, cancelling or freeing the chain would exhaust the stack.
    const int many = rota_test::scaled(100'000);
    auto [top, cancel] = rota::with_cancel(background());
    context leaf = top;
    for (int i = 0; i < many; ++i) leaf = rota::with_cancel(leaf).first;
    cancel();
    EXPECT_EQ(leaf.err(), context_errc::canceled);
    leaf = {};
    context lone;
    for (int i = 0; i < many; ++i) lone = rota::with_value<user_id>(lone, i);
    lone = {};
}

TEST_ANYWHERE(context, a_dropped_cancel_func_cancels_nothing) {
    // The destruction of the function object could count as a call.
    context ctx;
    {
        auto [made, cancel] = rota::with_cancel(background());
        ctx = made;
        const cancel_func none;
        none();
    }
    EXPECT_FALSE(ctx.err());
}

TEST_ANYWHERE(context, the_channel_outlives_the_context_that_it_came_from) {
    // A context without handles could be forgotten while a goroutine waits for its end.
    auto [parent, cancel] = rota::with_cancel(background());
    const auto done = rota::with_cancel(parent).first.done();
    rota::unit u;
    EXPECT_EQ(done.try_recv(u), rota::chan_status::would_block);
    cancel();
    EXPECT_FALSE(done.recv().has_value());
}

TEST(context, crosses_between_threads_and_goroutines) {
    // A thread parks in its own way: a cancellation from the other side must wake it.
    for (int i = 0; i < 100; ++i) {
        auto [ctx, cancel] = rota::with_cancel(background());
        std::thread waiter([ctx = ctx] { EXPECT_FALSE(ctx.done().recv().has_value()); });
        rota::run([&] { cancel(); });
        waiter.join();
        auto [back, cancel_back] = rota::with_cancel(background());
        std::thread canceller([cancel_back = cancel_back] { cancel_back(); });
        rota::run([&] { EXPECT_FALSE(back.done().recv().has_value()); });
        canceller.join();
    }
}
