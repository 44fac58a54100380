// rota::sleep_for(context, duration): a sleep that a context ends.
#include <chrono>
#include <system_error>

#include "anywhere.hpp"
#include "parked.hpp"

using namespace std::chrono_literals;
using rota::background;
using rota::context_errc;
using rota_test::go_and_park;
using rota_test::scheduler_state;

TEST_ANYWHERE(context_sleep, lasts_as_long_as_asked_if_nothing_comes) {
    auto [ctx, cancel] = rota::with_cancel(background());
    for (const auto& c : {background(), ctx}) {
        const auto before = rota::clock::now();
        EXPECT_FALSE(rota::sleep_for(c, 2ms));
        EXPECT_GE(rota::clock::now() - before, 2ms);
        EXPECT_FALSE(rota::sleep_for(c, 0s));
        EXPECT_FALSE(rota::sleep_for(c, -1h));
        EXPECT_FALSE(rota::sleep_for(c, std::chrono::hours::min()));
    }
}

TEST_ANYWHERE(context_sleep, ends_with_its_context) {
    // Asleep for ever, it could hear nothing; the watchdog would end this.
    auto [ctx, cancel] = rota::with_cancel(background());
    rota::wait_group all;
    all.add(2);
    for (const auto d : {std::chrono::hours(24), std::chrono::hours::max()}) {
        ASSERT_TRUE(go_and_park([&, d, ctx = ctx] {
            EXPECT_EQ(rota::sleep_for(ctx, d), context_errc::canceled);
            all.done();
        })) << scheduler_state();
    }
    cancel();
    all.wait();
    EXPECT_EQ(rota::sleep_for(ctx, 24h), context_errc::canceled);
    EXPECT_EQ(rota::sleep_for(ctx, 0s), context_errc::canceled);
}

TEST_ANYWHERE(kb48_context_sleep, cancellation_at_the_moment_of_waking_leaves_both_whole) {
    // Timer and context could both wake the sleeper, or one touch a frame that is gone.
    for (int i = 0; i < rota_test::scaled(2000); ++i) {
        auto [ctx, cancel] = rota::with_cancel(background());
        rota::wait_group all;
        all.go([ctx = ctx, i] {
            const std::error_code got = rota::sleep_for(ctx, std::chrono::microseconds(i % 100));
            EXPECT_TRUE(!got || got == context_errc::canceled) << got.message();
        });
        if (i % 3 == 0) rota::runtime::gosched();
        cancel();
        all.wait();
    }
}

TEST(context_sleep, of_a_goroutine_is_ended_by_a_thread_and_the_other_way_round) {
    for (int i = 0; i < 50; ++i) {
        auto [ctx, cancel] = rota::with_cancel(background());
        std::thread thread([cancel = cancel] { cancel(); });
        rota::run([&] { EXPECT_TRUE(rota::sleep_for(ctx, 1h)); });
        thread.join();
        auto [other, cancel_other] = rota::with_cancel(background());
        std::thread sleeper([other = other] { EXPECT_TRUE(rota::sleep_for(other, 1h)); });
        rota::run([&] { cancel_other(); });
        sleeper.join();
    }
}
