// rota::runtime::goexit: the end of a goroutine from inside, through everything on its stack.
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "anywhere.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

// Runs f in a goroutine to its end, in whatever way it ends.
template <class F>
void to_its_end(F f) {
    rota::wait_group wg;
    wg.go(std::move(f));
    wg.wait();
}

__attribute__((noinline)) void exit_below(int frames, std::string& record) {
    const rota::defer at_end([&] { record += std::to_string(frames); });
    if (frames == 0) rota::runtime::goexit();
    if (frames > 0) exit_below(frames - 1, record);
    record += "never";
}

}  // namespace

TEST_ANYWHERE(goexit, runs_destructors_and_defers_of_every_frame_innermost_first) {
    // A frame could be left out, or the order be that of construction.
    // Then the record would differ, or what follows the call would run.
    std::string record;
    to_its_end([&] {
        const rota::defer first([&] { record += " first"; });
        exit_below(5, record);
        record += "never";
    });
    EXPECT_EQ(record, "012345 first");
}

TEST_ANYWHERE(goexit, destroys_what_the_goroutine_captured) {
    // The closure lies below the first frame, where unwinding could stop short.
    // Then the object would live on.
    auto object = std::make_shared<int>(1);
    const std::weak_ptr<int> seen = object;
    to_its_end([object = std::move(object)] { rota::runtime::goexit(); });
    EXPECT_TRUE(seen.expired());
}

TEST_ANYWHERE(goexit, ends_that_goroutine_alone) {
    // It could end others, or the process.
    // Then the count of goroutines, or of results, would be wrong.
    auto ch = rota::make_chan<int>(100);
    for (int i = 0; i < 100; ++i) {
        rota::go([ch, i] {
            const rota::defer sends([&] { ch.send(i); });
            if (i % 2 == 0) rota::runtime::goexit();
        });
    }
    int sum = 0;
    for (int i = 0; i < 100; ++i) sum += ch.recv().value();
    EXPECT_EQ(sum, 4950);
    EXPECT_TRUE(eventually_alone()) << scheduler_state();
}

TEST_ANYWHERE(kb54_goexit, passes_every_catch_all_that_rethrows) {
    // A catch (...) could be skipped, or swallow the end.
    // Then the record would lack its letter, or what follows it would run.
    std::string record;
    to_its_end([&] {
        try {
            try {
                rota::runtime::goexit();
            } catch (const std::exception&) {
                record += "std::exception ";
            } catch (...) {
                record += "inner ";
                EXPECT_EQ(std::current_exception(), nullptr);
                throw;
            }
        } catch (...) {
            record += "outer";
            throw;
        }
        record += " never";
    });
    EXPECT_EQ(record, "inner outer");
}

TEST_ANYWHERE(kb54_goexit, waits_for_destructors_that_park) {
    // The unwinding could be lost at a park, or go on with another goroutine's state.
    // Then a goroutine would not end, or its destructors would not all run.
    constexpr int goroutines = 64;
    std::atomic<int> destroyed{0};
    rota::wait_group wg;
    for (int i = 0; i < goroutines; ++i) {
        wg.go([&] {
            struct parks {
                std::atomic<int>& count;
                ~parks() {
                    rota::runtime::gosched();
                    rota::sleep_for(10us);
                    rota::blocking([] { std::this_thread::yield(); });
                    count.fetch_add(1);
                }
            };
            const parks one{destroyed};
            try {
                const parks two{destroyed};
                rota::runtime::goexit();
            } catch (...) {
                rota::sleep_for(10us);
                throw;
            }
        });
    }
    wg.wait();
    EXPECT_EQ(destroyed.load(), 2 * goroutines);
}

TEST_ANYWHERE(kb54_goexit, works_while_an_exception_is_being_handled) {
    // The C++ runtime lets no catch (...) begin for it while another handler is active.
    // Then std::terminate would be called; or the exception that was handled would leak.
    struct error {
        std::shared_ptr<int> content;
    };
    auto content = std::make_shared<int>(1);
    const std::weak_ptr<int> seen = content;
    std::string record;
    to_its_end([&record, content = std::move(content)]() mutable {
        try {
            throw error{std::move(content)};
        } catch (const error& e) {
            try {
                rota::runtime::goexit();
            } catch (...) {
                record += std::to_string(*e.content);
                throw;
            }
        }
        record += "never";
    });
    EXPECT_EQ(record, "1");
    EXPECT_TRUE(eventually([&] { return seen.expired(); }));  // with the goroutine's end
}

TEST_ANYWHERE(kb54_goexit, lets_destructors_throw_and_catch_exceptions_of_their_own) {
    // The exception could be taken for the end of the goroutine, or stop it.
    // Then the record would differ.
    std::string record;
    to_its_end([&] {
        const rota::defer outer([&] { record += " outer"; });
        const rota::defer inner([&] {
            try {
                rota::runtime::gosched();
                throw std::runtime_error("mine");
            } catch (const std::exception& e) {
                rota::runtime::gosched();
                record += e.what();
            }
            EXPECT_EQ(std::current_exception(), nullptr);
        });
        rota::runtime::goexit();
    });
    EXPECT_EQ(record, "mine outer");
}

TEST_ANYWHERE(goexit, releases_a_lock_that_a_guard_holds) {
    // The mutex would stay locked for ever.
    rota::mutex mu;
    to_its_end([&] {
        const std::lock_guard guard(mu);
        rota::runtime::goexit();
    });
    EXPECT_TRUE(mu.try_lock());
    mu.unlock();
}

TEST_ANYWHERE(goexit, leaves_blocking) {
    // The processor could stay lost with the goroutine that ended inside blocking().
    // Then the next goroutines would not all run.
    for (int i = 0; i < 20; ++i) {
        to_its_end([] { rota::blocking([] { rota::runtime::goexit(); }); });
    }
    int ran = 0;
    for (int i = 0; i < 20; ++i) to_its_end([&] { ++ran; });
    EXPECT_EQ(ran, 20);
}

TEST_ANYWHERE(kb49_goexit, makes_get_of_its_future_throw) {
    // The future could wait for ever, or give a value that was never made.
    auto f = rota::async([]() -> int { rota::runtime::goexit(); });
    auto nothing = rota::async([] { rota::runtime::goexit(); });
    f.wait();
    EXPECT_TRUE(f.ready());
    const auto expect_refusal = [](auto& future) {
        EXPECT_EQ(panic_of([&] { future.get(); }),
                  "rota: get of a future whose goroutine ended by goexit");
    };
    expect_refusal(f);
    expect_refusal(nothing);
}

TEST_ANYWHERE(kb49_goexit, of_an_async_call_whose_future_was_dropped_is_no_panic) {
    // The end without a result could be taken for an exception that is lost.
    // Then the process would end here.
    auto ch = rota::make_chan<int>();
    {
        auto dropped = rota::async([ch]() -> int {
            ch.recv();
            rota::runtime::goexit();
        });
    }
    ch.send(1);
    EXPECT_TRUE(eventually_alone()) << scheduler_state();
}

TEST_ANYWHERE(kb49_goexit, of_a_wait_group_s_goroutine_counts_as_done) {
    // The waiter would wait for ever.
    rota::wait_group wg;
    for (int i = 0; i < 10; ++i) wg.go([] { rota::runtime::goexit(); });
    wg.wait();
}

TEST(goexit, outside_goroutines_throws_and_says_why) {
    // It could end the program's thread, or do nothing.
    on_thread([] {
        try {
            rota::runtime::goexit();
        } catch (const rota::panic_error& e) {
            EXPECT_NE(std::string(e.what()).find("outside goroutines"), std::string::npos);
            return;
        }
        ADD_FAILURE() << "no exception";
    });
}

TEST_ANYWHERE(goexit, by_thousands_leaves_no_memory_behind) {
    // What unwinds is allocated: the sanitizer's leak checker, or the stacks, would tell.
    for (int round = 0; round < 20; ++round) {
        rota::wait_group wg;
        for (int i = 0; i < scaled(500); ++i) {
            wg.go([] {
                const std::string text(100, 'x');
                rota::runtime::goexit();
            });
        }
        wg.wait();
    }
}
