// Exception state belongs to the goroutine, not to the thread (known bug 51).
#include "core/eh_state.hpp"

#include <atomic>
#include <exception>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <rota/rota.hpp>

#include "../gomaxprocs_restored.hpp"

namespace rota::rt {
namespace {

constexpr int goroutines = 64, rounds = 50;

std::atomic<int> moved{0};  // count of moves: a goroutine went on on another thread

long this_thread() { return ::syscall(SYS_gettid); }

// Yields until the goroutine runs on another thread, at most 20 times.
void park_and_migrate() {
    const long before = this_thread();
    for (int i = 0; i < 20; ++i) {
        rota::runtime::gosched();
        if (this_thread() == before) continue;
        moved.fetch_add(1, std::memory_order_relaxed);
        return;
    }
}

// Runs `f` on four processors, and checks that goroutines moved between threads meanwhile: each
// test is about the state that they take with them.
template <class F>
void run_where_goroutines_move(F f) {
    const rota_test::gomaxprocs_restored at_end;
    runtime::gomaxprocs(4);
    moved = 0;
    rota::run(f);
    EXPECT_GT(moved.load(), 0) << "nobody has moved: the test has shown nothing";
}

TEST(kb51_exception_state, stays_with_a_goroutine_that_parks_inside_catch) {
    // With one state per thread, `throw;` after a park rethrows another goroutine's exception.
    run_where_goroutines_move([] {
        rota::wait_group wg;
        for (int i = 0; i < goroutines; ++i) {
            wg.go([i] {
                for (int r = 0; r < rounds; ++r) {
                    const std::string mine = std::to_string(i) + "/" + std::to_string(r);
                    try {
                        try {
                            throw std::runtime_error(mine);
                        } catch (const std::exception& e) {
                            park_and_migrate();
                            EXPECT_EQ(e.what(), mine);
                            EXPECT_NE(std::current_exception(), nullptr);
                            throw;
                        }
                    } catch (const std::runtime_error& e) {
                        EXPECT_EQ(e.what(), mine);
                    }
                    EXPECT_EQ(std::current_exception(), nullptr);
                }
            });
        }
        wg.wait();
    });
}

TEST(kb51_exception_state, stays_with_a_goroutine_that_parks_while_unwinding) {
    // A destructor that parks would leave "one exception in flight" in the thread for the next
    // goroutine.
    struct parks_in_destructor {
        ~parks_in_destructor() {
            EXPECT_EQ(std::uncaught_exceptions(), 1);
            park_and_migrate();
            EXPECT_EQ(std::uncaught_exceptions(), 1);
        }
    };
    run_where_goroutines_move([] {
        rota::wait_group wg;
        for (int i = 0; i < goroutines; ++i) {
            wg.go([] {
                for (int r = 0; r < rounds; ++r) {
                    EXPECT_EQ(std::uncaught_exceptions(), 0);
                    try {
                        const parks_in_destructor p;
                        throw 1;
                    } catch (int) {
                        park_and_migrate();
                    }
                    EXPECT_EQ(std::uncaught_exceptions(), 0);
                }
            });
        }
        wg.wait();
    });
}

TEST(kb51_exception_state, of_the_caller_of_run_is_not_seen_inside) {
    // run() called inside a catch block: the main goroutine begins with a clean state, and the
    // caller gets its own state back.
    try {
        throw std::runtime_error("outside");
    } catch (const std::exception& e) {
        rota::run([] { EXPECT_EQ(std::current_exception(), nullptr); });
        EXPECT_STREQ(e.what(), "outside");
        EXPECT_NE(std::current_exception(), nullptr);
    }
}

}  // namespace
}  // namespace rota::rt
