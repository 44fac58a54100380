// rota::run: the main goroutine, its result, and the effect of its end on other goroutines.
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "anywhere.hpp"

using rota_test::eventually;
using rota_test::scheduler_state;

static_assert(std::is_same_v<decltype(rota::run([] { return 1.0; })), double>);
static_assert(std::is_same_v<decltype(rota::run(std::declval<int& (*)()>())), int&>);
static_assert(std::is_void_v<decltype(rota::run([] {}))>);

TEST(run, returns_the_result) {
    // The result could be taken before the main goroutine has written it, or copied. The value
    // would then be wrong, or the move-only type would not compile.
    EXPECT_EQ(rota::run([] { return 5; }), 5);
    EXPECT_EQ(rota::run([] { return std::string(100, 'x'); }).size(), 100u);
    EXPECT_EQ(*rota::run([] { return std::make_unique<int>(6); }), 6);
    bool ran = false;
    rota::run([&] { ran = true; });
    EXPECT_TRUE(ran);
}

TEST(run, returns_references_as_they_are) {
    // A reference could come back as a copy: its address would differ.
    int variable = 3;
    int& got = rota::run([&]() -> int& { return variable; });
    EXPECT_EQ(&got, &variable);
    const int& constant = rota::run([&]() -> const int& { return variable; });
    EXPECT_EQ(&constant, &variable);
}

TEST(run, rethrows_the_exception) {
    // An exception that leaves run belongs to the caller. It could end the process as in any other
    // goroutine: the handlers here would not be reached.
    EXPECT_THROW(rota::run([] { throw std::underflow_error("low"); }), std::underflow_error);
    EXPECT_THROW(rota::run([]() -> int { throw 3; }), int);
    EXPECT_THROW(rota::run([] { rota::panic("p"); }), rota::panic_error);
    EXPECT_EQ(rota::run([] { return 1; }), 1);
}

TEST(run, calls_the_function_as_what_it_is) {
    // An lvalue could be copied or moved from, an rvalue be called as an lvalue. The counts of the
    // qualified overloads would then differ.
    struct qualified {
        int calls = 0;
        int operator()() & { return ++calls; }
        int operator()() && { return 100; }
        qualified() = default;
        qualified(const qualified&) = delete;
    };
    qualified q;
    EXPECT_EQ(rota::run(q), 1);
    EXPECT_EQ(rota::run(q), 2);
    EXPECT_EQ(rota::run(qualified()), 100);
}

TEST(run, may_be_called_again_and_again) {
    // Booting, or binding the thread to a processor, could work only once. A later call would then
    // hang or fail a check.
    for (int i = 0; i < rota_test::scaled(3000); ++i) {
        const int n = rota::run([i] {
            auto ch = rota::make_chan<int>();
            rota::go([ch, i] { ch.send(i); });
            return *ch.recv();
        });
        ASSERT_EQ(n, i);
    }
}

TEST(run, may_be_called_from_several_threads_at_once) {
    // The end of a run could stop or wake the thread of another run. A result would then be wrong,
    // or a thread would stay in run.
    constexpr int threads = 8;
    constexpr int each = rota_test::scaled(200);
    std::atomic<long> sum{0};
    std::vector<std::thread> callers;
    for (int t = 0; t < threads; ++t) {
        callers.emplace_back([&, t] {
            for (int i = 0; i < each; ++i) {
                sum += rota::run([t, i] {
                    rota::wait_group wg;
                    std::atomic<int> n{0};
                    for (int k = 0; k < 10; ++k) wg.go([&] { n += t * i; });
                    wg.wait();
                    return n.load() / 10;
                });
            }
        });
    }
    for (auto& t : callers) t.join();
    long expected = 0;
    for (int t = 0; t < threads; ++t) expected += static_cast<long>(t) * each * (each - 1) / 2;
    EXPECT_EQ(sum, expected) << scheduler_state();
}

TEST(run, mains_of_several_runs_talk_to_each_other) {
    // Two main goroutines could be bound to their own threads' processors and never meet: the
    // exchange would stop.
    constexpr int rounds = rota_test::scaled(2000);
    auto ping = rota::make_chan<int>();
    auto pong = rota::make_chan<int>();
    std::thread other([=] {
        rota::run([=] {
            for (const int v : ping) pong.send(v + 1);
            pong.close();
        });
    });
    rota::run([=] {
        for (int i = 0; i < rounds; ++i) {
            ping.send(i);
            ASSERT_EQ(pong.recv(), i + 1);
        }
        ping.close();
    });
    other.join();
    EXPECT_EQ(pong.recv(), std::nullopt);
}

TEST(run, inside_a_goroutine_is_a_panic) {
    // A nested run could schedule on top of a goroutine's stack: it would return a result instead
    // of throwing.
    rota::run([] {
        EXPECT_THROW(rota::run([] {}), rota::panic_error);
        auto f = rota::async([] { return rota::run([] { return 1; }); });
        EXPECT_THROW((void)f.get(), rota::panic_error);
        EXPECT_THROW(rota::blocking([] { rota::run([] {}); }), rota::panic_error);
    });
}

TEST(run, does_not_wait_for_other_goroutines) {
    // run could wait until every goroutine has ended, or end them. It would then hang, or the
    // goroutine would not answer afterwards.
    auto gate = rota::make_chan<int>();
    auto answer = rota::make_chan<int>();
    rota::run([=] {
        rota::go([=] { answer.send(*gate.recv() + 1); });
        rota::runtime::gosched();
    });
    gate.send(1);
    EXPECT_EQ(answer.recv(), 2);
}

TEST(run, goroutines_go_on_after_it_has_returned) {
    // The processor that the thread of run gives back could be lost, with its queue: the count
    // would stand still.
    std::atomic<int> count{0};
    std::atomic<bool> stop{false};
    rota::wait_group wg;
    rota::run([&] {
        for (int i = 0; i < 10; ++i) {
            wg.go([&] {
                while (!stop) {
                    ++count;
                    rota::runtime::gosched();
                }
            });
        }
    });
    const int at_return = count;
    EXPECT_TRUE(eventually([&] { return count > at_return + 1000; }))
        << count << "; " << scheduler_state();
    stop = true;
    wg.wait();
}

TEST(run, returns_while_other_goroutines_sit_in_blocking_calls) {
    // The calling thread could be stuck in another goroutine's blocking call. run would then not
    // return although its function has ended; the watchdog would end the test.
    for (int round = 0; round < 20; ++round) {
        std::mutex mu;
        std::condition_variable changed;
        bool open = false;
        std::atomic<int> inside{0};
        constexpr int many = 4;
        rota::wait_group wg;
        rota::run([&] {
            for (int i = 0; i < many; ++i) {
                wg.go([&] {
                    rota::blocking([&] {
                        std::unique_lock guard(mu);
                        ++inside;
                        changed.wait(guard, [&] { return open; });
                    });
                    --inside;
                });
            }
            EXPECT_TRUE(eventually([&] { return inside == many; })) << scheduler_state();
        });
        EXPECT_EQ(inside, many);
        {
            const std::lock_guard guard(mu);
            open = true;
        }
        changed.notify_all();
        wg.wait();
        ASSERT_EQ(inside, 0);
    }
}

TEST(run, returns_at_once_while_others_keep_every_processor_busy) {
    // run could notice its end only when nothing else is runnable. It would then return only after
    // the busy goroutines, which never end by themselves.
    std::atomic<bool> stop{false};
    rota::wait_group wg;
    for (int round = 0; round < 5; ++round) {
        rota::run([&] {
            for (int i = 0; i < 2 * rota::runtime::gomaxprocs(0); ++i) {
                wg.go([&] {
                    while (!stop) rota::runtime::gosched();
                });
            }
            for (int i = 0; i < 20; ++i) rota::runtime::gosched();
        });
    }
    stop = true;
    wg.wait();
}

TEST(run, a_thread_may_use_rota_before_and_after) {
    // The thread's own identity in wait lists could be confused with the m that it was inside run:
    // a receive of the thread would not be woken.
    rota_test::on_thread([] {
        auto ch = rota::make_chan<int>();
        for (int i = 0; i < 100; ++i) {
            rota::go([ch, i] { ch.send(i); });
            ASSERT_EQ(ch.recv(), i);
            ASSERT_EQ(rota::run([ch, i] {
                          rota::go([ch, i] { ch.send(i + 1); });
                          return *ch.recv();
                      }),
                      i + 1);
        }
    });
}
