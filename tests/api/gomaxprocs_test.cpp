// Changes of GOMAXPROCS while the program runs: the number itself, and the state that must survive
// a change.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <vector>

#include "../gomaxprocs_restored.hpp"
#include "anywhere.hpp"

using namespace std::chrono_literals;
using rota_test::eventually;
using rota_test::gomaxprocs_restored;
using rota_test::live_goroutines_max;
using rota_test::on_thread;
using rota_test::scaled;
using rota_test::scheduler_state;

namespace {

// Whether n goroutines run at the same moment: each waits for the others and keeps its processor
// meanwhile.
bool run_at_once(int n) {
    std::atomic<int> running{0};
    std::atomic<bool> met{true};
    rota::wait_group all;
    for (int i = 0; i < n; ++i) {
        all.go([&] {
            ++running;
            const auto until = std::chrono::steady_clock::now() + rota_test::patience;
            while (running < n) {
                if (std::chrono::steady_clock::now() > until) met = false;
                if (!met) break;
                std::this_thread::yield();
            }
        });
    }
    all.wait();
    return met;
}

}  // namespace

TEST_ANYWHERE(gomaxprocs, returns_the_number_of_before_and_takes_the_new_one) {
    // The call could return the new number, or a later call the old number.
    const gomaxprocs_restored at_end;
    int last = at_end.before();
    for (const int n : {1, 2, 7, 64, 3, 1, 1, 16}) {
        EXPECT_EQ(rota::runtime::gomaxprocs(n), last);
        EXPECT_EQ(rota::runtime::gomaxprocs(), n);
        EXPECT_EQ(rota::runtime::gomaxprocs(0), n);
        EXPECT_EQ(rota::runtime::gomaxprocs(-5), n) << "a negative number changes nothing";
        last = n;
    }
}

TEST_ANYWHERE(gomaxprocs, beyond_1024_is_1024) {
    // A table could be overrun.
    const gomaxprocs_restored at_end;
    rota::runtime::gomaxprocs(INT32_MAX);
    EXPECT_EQ(rota::runtime::gomaxprocs(1025), 1024);
    EXPECT_EQ(rota::runtime::gomaxprocs(), 1024);
}

TEST(gomaxprocs, new_processors_are_used_and_old_ones_are_not) {
    // A processor could exist without ever getting an m, or go on after its removal.
    const gomaxprocs_restored at_end;
    rota::run([] {
        for (const int n : {1, 2, 5, 8, 3}) {
            rota::runtime::gomaxprocs(n);
            EXPECT_TRUE(run_at_once(n)) << scheduler_state();
        }
    });
    rota::run([] {
        rota::runtime::gomaxprocs(2);
        // Six goroutines want to run; each counts how many run at once. A goroutine whose thread
        // the machine delays loses its processor to another, and still counts as running.
        const auto handoffs = [] { return rota::runtime::read_sched_stats().handoffs; };
        const std::uint64_t before = handoffs();
        std::atomic<int> running{0}, most{0};
        rota::wait_group all;
        for (int i = 0; i < 6; ++i) {
            all.go([&] {
                for (int round = 0; round < 200; ++round) {
                    const int now = ++running;
                    int seen = most;
                    while (now > seen && !most.compare_exchange_weak(seen, now)) {
                    }
                    for (int k = 0; k < 300; ++k) asm volatile("" : : : "memory");
                    --running;
                    rota::runtime::gosched();
                }
            });
        }
        all.wait();
        EXPECT_LE(static_cast<std::uint64_t>(most), 2 + (handoffs() - before));
    });
}

TEST_ANYWHERE(gomaxprocs, queued_goroutines_all_run_when_their_processor_goes) {
    // Queues and runnext could vanish with the processor.
    const gomaxprocs_restored at_end;
    for (int round = 0; round < scaled(50); ++round) {
        rota::runtime::gomaxprocs(8);
        std::atomic<int> ran{0};
        rota::wait_group all;
        constexpr int roots = 8, each = 100;
        for (int i = 0; i < roots; ++i) {
            all.go([&] {
                for (int k = 0; k < each; ++k) {
                    all.go([&ran] {
                        rota::runtime::gosched();
                        ++ran;
                    });
                }
            });
        }
        rota::runtime::gomaxprocs(1);
        all.wait();
        EXPECT_EQ(ran, roots * each);
    }
}

TEST_ANYWHERE(kb26_timers, of_processors_that_go_come_due_in_time) {
    // Timers could vanish with their processor's heap, or the poller could sleep for a heap that is
    // empty.
    const gomaxprocs_restored at_end;
    rota::runtime::gomaxprocs(16);
    constexpr int sleepers = 1000;
    std::atomic<int> woken{0}, early{0};
    rota::wait_group all;
    for (int i = 0; i < sleepers; ++i) {
        all.go([&, i] {
            for (int k = 0; k < i % 7; ++k) rota::runtime::gosched();
            const auto d = 20ms + std::chrono::microseconds(i * 37 % 10'000);
            const auto until = std::chrono::steady_clock::now() + d;
            rota::sleep_for(d);
            if (std::chrono::steady_clock::now() < until) ++early;
            ++woken;
        });
    }
    auto ticker = rota::ticker(1ms);
    auto later = rota::after(25ms);
    rota::runtime::gomaxprocs(1);
    ticker.reset(500us);  // its timer is in another heap
    rota::runtime::gomaxprocs(5);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(ticker.c().recv().has_value());
    ticker.stop();
    EXPECT_TRUE(later.recv().has_value());
    all.wait();
    EXPECT_EQ(woken, sleepers);
    EXPECT_EQ(early, 0);
}

TEST_ANYWHERE(gomaxprocs, changes_beside_blocking_calls_and_foreign_threads) {
    // A blocked call's processor could be counted twice, or come back after its removal.
    const gomaxprocs_restored at_end;
    std::atomic<bool> stop{false};
    std::atomic<long> calls{0}, posts{0};
    rota::wait_group all;
    for (int i = 0; i < 4; ++i) {
        all.go([&] {
            while (!stop) {
                rota::blocking([] { std::this_thread::yield(); });
                ++calls;
            }
        });
    }
    std::thread poster([&] {
        for (long sent = 0; !stop;) {
            // At most as many as a build has room for, in case they do not run for a while.
            if (sent - posts < live_goroutines_max) {
                all.go([&posts] { ++posts; });
                ++sent;
            }
            std::this_thread::yield();
        }
    });
    for (int i = 0; i < scaled(300); ++i) {
        rota::runtime::gomaxprocs(1 + i % 5);
        if (i % 16 == 0) {
            const long before = calls, posted = posts;
            EXPECT_TRUE(eventually([&] { return calls > before && posts > posted; }))
                << scheduler_state();
        }
    }
    stop = true;
    poster.join();
    all.wait();
}

TEST(gomaxprocs, is_changed_by_many_at_once_one_after_the_other) {
    // Two stops at once could wait for each other.
    const gomaxprocs_restored at_end;
    rota::run([] {
        std::atomic<int> done{0};
        rota::wait_group all;
        for (int i = 0; i < 8; ++i) {
            all.go([&done, i] {
                for (int k = 0; k < scaled(50); ++k) rota::runtime::gomaxprocs(1 + (i + k) % 6);
                ++done;
            });
        }
        std::vector<std::thread> threads;
        for (int i = 0; i < 3; ++i) {
            threads.emplace_back([&done, i] {
                for (int k = 0; k < scaled(50); ++k) rota::runtime::gomaxprocs(1 + (i + k) % 4);
                ++done;
            });
        }
        all.wait();
        rota::blocking([&] {
            for (auto& t : threads) t.join();
        });
        EXPECT_EQ(done, 11);
    });
}

TEST_ANYWHERE(gomaxprocs, is_changed_while_a_goroutine_computes) {
    // The change could wait for the next operation of a goroutine that makes none.
    const gomaxprocs_restored at_end;
    rota::runtime::gomaxprocs(4);
    std::atomic<bool> computing{false}, stop{false};
    rota::wait_group all;
    all.go([&] {
        computing = true;
        while (!stop) {
        }
    });
    EXPECT_TRUE(eventually([&] { return computing.load(); })) << scheduler_state();
    for (const int n : {3, 2, 5}) {
        rota::runtime::gomaxprocs(n);
        EXPECT_EQ(rota::runtime::gomaxprocs(), n);
    }
    stop = true;
    all.wait();
}

TEST_ANYWHERE(gomaxprocs, keeps_the_figures_of_processors_that_went) {
    // Each processor has its counters. A sum over the current processors would forget some, and the
    // number of goroutines, which is a difference of two counters, would be wrong for ever.
    const gomaxprocs_restored at_end;
    const int own = rota::runtime::goid() != 0 ? 1 : 0;
    for (const int n : {8, 1, 4, 2}) {
        rota::runtime::gomaxprocs(n);
        const auto before = rota::runtime::read_sched_stats();
        rota::wait_group all;
        for (int i = 0; i < 200; ++i) all.go([] { rota::runtime::gosched(); });
        all.wait();
        rota::runtime::gomaxprocs(1);
        EXPECT_TRUE(eventually([&] {
            return rota::runtime::num_goroutine() == own + rota_test::left_behind;
        })) << scheduler_state();
        const auto after = rota::runtime::read_sched_stats();
        EXPECT_GE(after.goroutines_created, before.goroutines_created + 200);
        EXPECT_GE(after.goroutines_ended, before.goroutines_ended + 200);
    }
}

TEST_ANYWHERE(gomaxprocs, pools_serve_any_number_of_processors) {
    // A pool's parts are made for the previous number.
    const gomaxprocs_restored at_end;
    rota::runtime::gomaxprocs(1);
    rota::pool<std::vector<int>> pool([] { return std::vector<int>(3); });
    for (const int n : {1, 32, 2}) {
        rota::runtime::gomaxprocs(n);
        rota::wait_group all;
        for (int i = 0; i < 64; ++i) {
            all.go([&pool] {
                for (int k = 0; k < 20; ++k) {
                    auto v = pool.get();
                    EXPECT_EQ(v.size(), 3u);
                    rota::runtime::gosched();
                    pool.put(std::move(v));
                }
            });
        }
        all.wait();
    }
}

TEST(gomaxprocs, of_an_idle_runtime_is_changed_and_serves_the_next_post) {
    // No goroutine runs; the change could leave a state in which none is ever woken again.
    const gomaxprocs_restored at_end;
    on_thread([] {
        for (int i = 0; i < scaled(200); ++i) {
            rota::runtime::gomaxprocs(1 + i % 4);
            std::atomic<bool> ran{false};
            rota::go([&ran] { ran = true; });
            EXPECT_TRUE(eventually([&] { return ran.load(); })) << scheduler_state();
        }
    });
}

TEST(gomaxprocs, set_default_makes_it_what_a_program_begins_with) {
    // It could leave the number that a call has fixed, or ignore the environment.
    const gomaxprocs_restored at_end;
    const char* const said = std::getenv("GOMAXPROCS");
    int first = 0;
    for (const int n : {3, 1, 7}) {
        rota::runtime::gomaxprocs(n);
        rota::runtime::set_default_gomaxprocs();
        const int now = rota::runtime::gomaxprocs();
        if (first == 0) first = now;
        EXPECT_EQ(now, first);
        EXPECT_LE(now, said != nullptr ? std::atoi(said) : rota::runtime::num_cpu());
        EXPECT_GE(now, said != nullptr ? std::atoi(said) : 1);
        EXPECT_TRUE(run_at_once(now)) << scheduler_state();
    }
}
