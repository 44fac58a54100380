// rota::call_once: one call for many callers; exceptions; order.
#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <vector>

#include "anywhere.hpp"
#include "parked.hpp"

using rota_test::eventually;
using rota_test::go_and_park;
using rota_test::scheduler_state;

static_assert(!std::is_copy_constructible_v<rota::once_flag>);

static constinit rota::once_flag static_flag;  // usable before any constructor runs

TEST_ANYWHERE(call_once, runs_one_function_of_many_callers) {
    // Two functions could run, or a caller return before the running function has ended. `runs`
    // would then be wrong, or a caller see `ready` unset; tsan reports the plain access.
    for (int round = 0; round < 100; ++round) {
        rota::once_flag flag;
        std::atomic<int> runs{0};
        bool ready = false;
        rota::wait_group wg;
        for (int i = 0; i < 8; ++i) {
            wg.go([&] {
                rota::call_once(flag, [&] {
                    ++runs;
                    rota::runtime::gosched();
                    ready = true;
                });
                EXPECT_TRUE(ready);
            });
        }
        rota::call_once(flag, [&] {
            ++runs;
            ready = true;
        });
        EXPECT_TRUE(ready);
        wg.wait();
        ASSERT_EQ(runs, 1) << scheduler_state();
    }
    rota::call_once(static_flag, [] {});
}

TEST_ANYWHERE(call_once, serves_threads_and_goroutines_alike) {
    // A goroutine that migrates may run the function while threads wait. If a waiter stayed, the
    // watchdog would end the test.
    for (int round = 0; round < 20; ++round) {
        rota::once_flag flag;
        std::atomic<int> runs{0};
        const auto call = [&] {
            rota::call_once(flag, [&] {
                ++runs;
                rota::runtime::gosched();
            });
        };
        rota::wait_group wg;
        for (int i = 0; i < 3; ++i) wg.go(call);
        std::vector<std::thread> threads;
        for (int i = 0; i < 2; ++i) threads.emplace_back(call);
        rota::blocking([&] {
            for (auto& t : threads) t.join();
        });
        wg.wait();
        ASSERT_EQ(runs, 1);
    }
}

TEST_ANYWHERE(call_once, passes_its_arguments) {
    // The arguments could be copied, or a member function not be callable.
    struct counter {
        int sum = 0;
        void add(int a, std::unique_ptr<int> b) { sum += a + *b; }
    } c;
    rota::once_flag flag;
    rota::call_once(flag, &counter::add, &c, 3, std::make_unique<int>(4));
    rota::call_once(flag, &counter::add, &c, 3, std::make_unique<int>(4));
    EXPECT_EQ(c.sum, 7);
}

TEST_ANYWHERE(kb49_call_once, an_exception_leaves_it_undone_and_lets_another_try) {
    // The flag could count as done, or the waiters be forgotten. No second function would then run,
    // or a waiter would stay for ever.
    for (int round = 0; round < 50; ++round) {
        rota::once_flag flag;
        rota::chan<rota::unit> go_on = rota::make_chan<rota::unit>();
        std::atomic<int> failed{0};
        std::atomic<int> succeeded{0};
        rota::wait_group wg;
        wg.go([&] {
            try {
                rota::call_once(flag, [&] {
                    go_on.recv();
                    ++failed;
                    throw std::runtime_error("boom");
                });
            } catch (const std::runtime_error&) {
            }
        });
        for (int i = 0; i < 3; ++i) {
            wg.go([&] {
                try {
                    rota::call_once(flag, [&] {
                        if (failed + succeeded == 0) {
                            ++failed;
                            throw std::runtime_error("boom");
                        }
                        ++succeeded;
                    });
                } catch (const std::runtime_error&) {
                }
            });
        }
        rota::runtime::gosched();
        go_on.close();
        wg.wait();
        rota::call_once(flag, [&] { ++succeeded; });
        ASSERT_EQ(succeeded, 1);
        ASSERT_GE(failed, 1);
    }
}

TEST_ANYWHERE(call_once, waiters_park_until_the_function_has_returned) {
    // A waiter could spin, or pass while the function runs.
    rota::once_flag flag;
    rota::chan<rota::unit> go_on = rota::make_chan<rota::unit>();
    std::atomic<bool> passed{false};
    ASSERT_TRUE(go_and_park([&] { rota::call_once(flag, [&] { go_on.recv(); }); }));
    ASSERT_TRUE(go_and_park([&] {
        rota::call_once(flag, [] { ADD_FAILURE() << "ran twice"; });
        passed = true;
    }));
    EXPECT_FALSE(passed);
    go_on.close();
    EXPECT_TRUE(eventually([&] { return passed.load(); })) << scheduler_state();
}

TEST_ANYWHERE(kb47_call_once, flag_may_go_as_soon_as_a_caller_has_returned) {
    // The caller that ran the function could look at the flag after it has released the waiters.
    // asan would report that; here `flag` lies on a frame that is left at once.
    for (int round = 0; round < rota_test::scaled(2000); ++round) {
        auto flag = std::make_shared<rota::once_flag>();
        rota::once_flag* const bare = flag.get();
        rota::wait_group wg;
        std::atomic<int> inside{2};
        for (int i = 0; i < 2; ++i) {
            wg.go([&, bare] {
                rota::call_once(*bare, [] {});
                if (inside.fetch_sub(1) == 1) flag.reset();
            });
        }
        wg.wait();
    }
}
