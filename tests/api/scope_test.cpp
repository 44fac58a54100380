// rota::scope: goroutines that do not outlive their block.
#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>

#include "anywhere.hpp"

using rota::context_errc;

static_assert(!std::is_copy_constructible_v<rota::scope>);
static_assert(std::is_same_v<decltype(std::declval<rota::scope&>().async([] { return 1; })),
                             rota::future<int>>);

TEST_ANYWHERE(scope, its_end_waits_for_all_its_goroutines) {
    // The block could be left before, and what the goroutines use be gone.
    std::atomic<int> ended{0};
    {
        rota::scope s;
        for (int i = 0; i < 100; ++i) {
            s.go([&] {
                for (int k = 0; k < 3; ++k) rota::runtime::gosched();
                ++ended;
            });
        }
    }
    EXPECT_EQ(ended, 100);
}

TEST_ANYWHERE(scope, wait_may_be_called_and_the_scope_be_used_again) {
    std::atomic<int> ended{0};
    rota::scope s;
    s.wait();
    for (int round = 1; round <= 3; ++round) {
        for (int i = 0; i < 10; ++i) s.go([&] { ++ended; });
        s.wait();
        ASSERT_EQ(ended, 10 * round);
    }
    EXPECT_FALSE(s.ctx().err());
}

TEST_ANYWHERE(scope, its_goroutines_may_start_others_in_it) {
    std::atomic<int> ended{0};
    {
        rota::scope s;
        for (int i = 0; i < 10; ++i) {
            s.go([&] {
                for (int k = 0; k < 10; ++k) s.go([&] { ++ended; });
            });
        }
    }
    EXPECT_EQ(ended, 100);
}

TEST_ANYWHERE(scope, first_exception_cancels_it_and_is_rethrown_by_wait) {
    // The others could go on for ever, or the exception end the process or be another's.
    rota::scope s;
    std::atomic<int> cancelled{0};
    for (int i = 0; i < 5; ++i) {
        s.go([&] {
            s.ctx().done().recv();
            ++cancelled;
            throw std::logic_error("second");
        });
    }
    s.go([] { throw std::runtime_error("first"); });
    for (int i = 0; i < 2; ++i) {
        try {
            s.wait();
            ADD_FAILURE() << "wait returned";
        } catch (const std::runtime_error& e) {
            EXPECT_STREQ(e.what(), "first");
        }
    }
    EXPECT_EQ(cancelled, 5);
    EXPECT_EQ(s.ctx().err(), context_errc::canceled);
}

TEST_ANYWHERE(scope, exception_that_nobody_has_waited_for_leaves_the_block) {
    // With no wait() it could be lost.
    EXPECT_THROW(
        {
            rota::scope s;
            s.go([] { throw std::out_of_range("x"); });
        },
        std::out_of_range);
    bool reached = false;
    EXPECT_NO_THROW({
        rota::scope s;
        s.go([] { throw 1; });
        EXPECT_THROW(s.wait(), int);
        reached = true;
    });
    EXPECT_TRUE(reached);
}

TEST_ANYWHERE(scope, left_by_an_exception_it_cancels_first_and_that_one_goes_on) {
    // The end could wait for a goroutine that waits to be cancelled, or two exceptions meet.
    std::atomic<bool> ended{false};
    try {
        rota::scope s;
        s.go([&, ctx = s.ctx()] {
            ctx.done().recv();
            ended = true;
            throw std::logic_error("because of it");
        });
        throw std::runtime_error("of the block");
    } catch (const std::runtime_error& e) {
        EXPECT_STREQ(e.what(), "of the block");
    }
    EXPECT_TRUE(ended);
}

TEST_ANYWHERE(scope, inside_a_destructor_that_unwinding_runs_it_ends_as_usual) {
    // An exception that is older than the scope could be taken for its own: it would cancel.
    struct last_words {
        std::error_code& seen;
        bool& thrown;
        ~last_words() {
            try {
                rota::scope s;
                s.go([this, &s] { seen = s.ctx().err(); });
                s.go([] { throw 5; });
            } catch (int) {
                thrown = true;
            }
        }
    };
    std::error_code seen;
    bool thrown = false;
    try {
        const last_words words{seen, thrown};
        throw std::runtime_error("outer");
    } catch (const std::runtime_error& e) {
        EXPECT_STREQ(e.what(), "outer");
    }
    EXPECT_TRUE(thrown);
}

TEST(scope, left_by_goexit_it_cancels_first) {
    // goexit is no exception, but leaves blocks as one: waiting uncancelled would never end.
    rota::run([] {
        std::atomic<bool> cancelled{false};
        rota::wait_group all;
        all.go([&] {
            rota::scope s;
            s.go([&, ctx = s.ctx()] {
                ctx.done().recv();
                cancelled = true;
            });
            rota::runtime::goexit();
        });
        all.wait();
        EXPECT_TRUE(cancelled);
    });
}

TEST_ANYWHERE(kb49_scope, goroutine_that_ends_by_goexit_or_exception_has_ended) {
    // Only the ordinary end could be counted: then this would wait for ever.
    std::atomic<int> went{0};
    {
        rota::scope s;
        for (int i = 0; i < 20; ++i) {
            s.go([&] {
                const rota::defer count([&] { ++went; });
                rota::runtime::goexit();
            });
        }
        s.wait();
        EXPECT_EQ(went, 20);
        EXPECT_FALSE(s.ctx().err());
        auto none = s.async([]() -> int { rota::runtime::goexit(); });
        EXPECT_THROW((void)none.get(), rota::panic_error);
        s.go([] { throw 1; });
        EXPECT_THROW(s.wait(), int);
    }
}

TEST_ANYWHERE(scope, cancel_and_parent_end_its_context) {
    auto [parent, cancel] = rota::with_cancel(rota::background());
    rota::scope first, second(parent);
    first.go([&] { first.ctx().done().recv(); });
    first.cancel();
    first.wait();
    second.go([&] { second.ctx().done().recv(); });
    cancel(std::make_error_code(std::errc::io_error));
    second.wait();
    EXPECT_EQ(second.ctx().cause(), std::errc::io_error);
}

TEST_ANYWHERE(scope, its_context_is_done_when_it_has_been_left) {
    rota::context ctx;
    {
        rota::scope s;
        ctx = s.ctx();
        EXPECT_FALSE(ctx.err());
    }
    EXPECT_EQ(ctx.err(), context_errc::canceled);
}

TEST_ANYWHERE(scope, async_gives_results_and_exceptions_to_their_futures) {
    // An exception could cancel the scope although somebody gets it, or the end not wait.
    std::atomic<bool> ended{false};
    {
        rota::scope s;
        auto number = s.async([] { return std::make_unique<int>(7); });
        EXPECT_EQ(*number.get(), 7);
        auto bad = s.async([]() -> int { throw std::out_of_range("far"); });
        EXPECT_THROW((void)bad.get(), std::out_of_range);
        EXPECT_FALSE(s.ctx().err());
        s.wait();
        (void)s.async([&] {
            for (int i = 0; i < 5; ++i) rota::runtime::gosched();
            ended = true;
        });
    }
    EXPECT_TRUE(ended);
}

TEST_ANYWHERE(scope, async_has_given_its_result_when_the_wait_returns) {
    // The goroutine could give up its membership with the function, before the result is there.
    for (int i = 0; i < rota_test::scaled(5000); ++i) {
        rota::scope s;
        auto number = s.async([i]() -> int {
            if (i % 2 != 0) throw i;
            return i;
        });
        s.wait();
        ASSERT_TRUE(number.ready()) << "round " << i;
        if (i % 2 != 0) {
            EXPECT_THROW((void)number.get(), int);
        } else {
            EXPECT_EQ(number.get(), i);
        }
    }
}

TEST_ANYWHERE(kb47_scope, nothing_of_it_is_used_once_it_has_been_left) {
    // A goroutine could touch the scope behind the count that lets its owner go; asan would tell.
    for (int i = 0; i < rota_test::scaled(5000); ++i) {
        auto s = std::make_unique<rota::scope>();
        int plain = 0;
        s->go([&plain, held = std::make_unique<int>(i)] { plain = *held; });
        s.reset();
        ASSERT_EQ(plain, i);
    }
}

TEST_ANYWHERE(scope, nests_as_blocks_do) {
    // A fork-join tree: each level waits for its own.
    struct tree {
        static int leaves(int depth) {
            if (depth == 0) return 1;
            int left = 0, right = 0;
            {
                rota::scope s;
                s.go([&] { left = leaves(depth - 1); });
                right = leaves(depth - 1);
            }
            return left + right;
        }
    };
    EXPECT_EQ(tree::leaves(8), 256);
}
