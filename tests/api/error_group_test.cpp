// rota::error_group: the first failure ends the group's work; limits.
#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>

#include "anywhere.hpp"
#include "parked.hpp"

using rota::context_errc;
using rota_test::panic_of;
using rota_test::scheduler_state;

TEST_ANYWHERE(error_group, wait_waits_for_all_and_cancels_the_context) {
    rota::error_group group;
    std::atomic<int> ended{0};
    for (int i = 0; i < 100; ++i) {
        group.go([&] {
            rota::runtime::gosched();
            ++ended;
        });
    }
    EXPECT_FALSE(group.ctx().err());
    group.wait();
    EXPECT_EQ(ended, 100);
    EXPECT_EQ(group.ctx().err(), context_errc::canceled);
}

TEST_ANYWHERE(error_group, first_exception_cancels_the_context_and_is_rethrown_by_each_wait) {
    // wait could report a later exception, or the context could stay alive for the rest.
    rota::error_group group(rota::background());
    for (int i = 0; i < 10; ++i) {
        group.go([&, i, ctx = group.ctx()] {
            ctx.done().recv();
            throw i;
        });
    }
    group.go([] { throw std::system_error(std::make_error_code(std::errc::io_error), "disk"); });
    for (int i = 0; i < 2; ++i) EXPECT_THROW(group.wait(), std::system_error);
    EXPECT_EQ(group.ctx().err(), context_errc::canceled);
    EXPECT_EQ(group.ctx().cause(), std::errc::io_error);  // the code of the exception
}

TEST_ANYWHERE(error_group, error_code_that_a_function_returns_is_its_failure) {
    // The error could be dropped: the other goroutines would continue, and wait() would report
    // nothing.
    rota::error_group group;
    group.go([ctx = group.ctx()] {
        ctx.done().recv();
        return ctx.err();
    });
    group.go([] { return std::error_code{}; });
    ASSERT_TRUE(group.try_go([] { return std::make_error_code(std::errc::no_space_on_device); }));
    for (int i = 0; i < 2; ++i) {
        try {
            group.wait();
            ADD_FAILURE() << "wait returned";
        } catch (const std::system_error& e) {
            EXPECT_EQ(e.code(), std::errc::no_space_on_device);
        }
    }
    EXPECT_EQ(group.ctx().cause(), std::errc::no_space_on_device);
}

TEST_ANYWHERE(error_group, no_error_and_other_results_are_no_failure) {
    rota::error_group group;
    const std::error_code none;
    group.go([] { return std::error_code{}; });
    group.go([&]() -> const std::error_code& { return none; });
    group.go([] { return 7; });
    group.go([] { return std::errc::io_error; });
    group.wait();
    EXPECT_EQ(group.ctx().cause(), context_errc::canceled);
}

TEST_ANYWHERE(error_group, hears_of_its_parent) {
    auto [parent, cancel] = rota::with_cancel(rota::background());
    rota::error_group group(parent);
    group.go([ctx = group.ctx()] {
        ctx.done().recv();
        throw std::system_error(ctx.err());
    });
    cancel();
    try {
        group.wait();
        ADD_FAILURE() << "wait returned";
    } catch (const std::system_error& e) {
        EXPECT_EQ(e.code(), context_errc::canceled);
    }
}

TEST_ANYWHERE(error_group, failure_does_not_reach_the_parent) {
    auto [parent, cancel] = rota::with_cancel(rota::background());
    {
        rota::error_group group(parent);
        group.go([] { throw 1; });
        EXPECT_THROW(group.wait(), int);
    }
    EXPECT_FALSE(parent.err());
}

TEST_ANYWHERE(error_group, never_runs_more_than_its_limit) {
    // The limit could be off by one, or a place could be given back too early.
    rota::error_group group;
    group.set_limit(3);
    std::atomic<int> running{0}, most{0}, ended{0};
    for (int i = 0; i < rota_test::scaled(500); ++i) {
        group.go([&] {
            const int now = ++running;
            int seen = most;
            while (now > seen && !most.compare_exchange_weak(seen, now)) {
            }
            rota::runtime::gosched();
            --running;
            ++ended;
        });
    }
    group.wait();
    EXPECT_LE(most, 3);
    EXPECT_EQ(ended, rota_test::scaled(500));
}

TEST_ANYWHERE(error_group, try_go_starts_nothing_beyond_the_limit) {
    rota::error_group group;
    group.set_limit(2);
    auto gate = rota::make_chan<rota::unit>();
    EXPECT_TRUE(group.try_go([gate] { gate.recv(); }));
    EXPECT_TRUE(group.try_go([gate] { gate.recv(); }));
    EXPECT_FALSE(group.try_go([] { ADD_FAILURE() << "it ran"; }));
    gate.close();
    group.wait();
    EXPECT_TRUE(group.try_go([] {}));
    group.wait();
    group.set_limit(0);
    EXPECT_FALSE(group.try_go([] { ADD_FAILURE() << "it ran"; }));
    group.set_limit(-1);
    EXPECT_TRUE(group.try_go([] {}));
    group.wait();
}

TEST_ANYWHERE(error_group, limit_of_a_group_at_work_cannot_be_changed) {
    rota::error_group group;
    group.set_limit(2);
    auto gate = rota::make_chan<rota::unit>();
    group.go([gate] { gate.recv(); });
    EXPECT_EQ(panic_of([&] { group.set_limit(5); }),
              "errgroup: modify limit while 1 goroutines in the group are still active");
    gate.close();
    group.wait();
    group.set_limit(5);
}

TEST_ANYWHERE(error_group, without_a_limit_cannot_be_given_one_while_it_works) {
    // Its goroutines hold no place: a new goroutine could wait for ever for a place.
    rota::error_group group;
    auto gate = rota::make_chan<rota::unit>();
    group.go([gate] { gate.recv(); });
    EXPECT_THROW(group.set_limit(2), rota::panic_error);
    gate.close();
    group.wait();
    group.set_limit(2);
    group.go([] {});
    group.wait();
}

TEST_ANYWHERE(error_group, go_waits_for_a_place) {
    rota::error_group group;
    group.set_limit(1);
    auto gate = rota::make_chan<rota::unit>();
    std::atomic<bool> second{false};
    group.go([gate] { gate.recv(); });
    ASSERT_TRUE(rota_test::go_and_park([&, gate] {
        group.go([&] { second = true; });
        gate.send({});
    })) << scheduler_state();
    EXPECT_FALSE(second);
    gate.send({});
    gate.recv();
    group.wait();
    EXPECT_TRUE(second);
}

TEST_ANYWHERE(error_group, its_end_waits_and_rethrows_what_nobody_has_heard_of) {
    std::atomic<bool> ended{false};
    EXPECT_THROW(
        {
            rota::error_group group;
            group.go([&] {
                rota::runtime::gosched();
                ended = true;
                throw std::runtime_error("x");
            });
        },
        std::runtime_error);
    EXPECT_TRUE(ended);
}

TEST_ANYWHERE(kb49_error_group, goexit_leaves_neither_waiters_nor_places_behind) {
    // A goroutine that ends by goexit could keep its place, or wait() could wait for it for ever.
    rota::error_group group;
    group.set_limit(1);
    for (int i = 0; i < 10; ++i) group.go([] { rota::runtime::goexit(); });
    group.wait();
    for (int i = 0; i < 10; ++i) group.go([] { throw 1; });
    EXPECT_THROW(group.wait(), int);
}
