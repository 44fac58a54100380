// Namespace rota::runtime: numbers about the process, and the right to let others run.
#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <sched.h>

#include "anywhere.hpp"

using rota_test::eventually;
using rota_test::left_behind;
using rota_test::scheduler_state;

TEST_ANYWHERE(runtime, gomaxprocs_is_what_the_environment_says) {
    // The variable could be ignored or read late.
    // Then the number would be that of the machine.
    const char* const wanted = std::getenv("GOMAXPROCS");
    const int expected = wanted != nullptr ? std::atoi(wanted) : rota::runtime::num_cpu();
    EXPECT_EQ(rota::runtime::gomaxprocs(0), expected);
    EXPECT_EQ(rota::runtime::gomaxprocs(-1), expected) << "a negative number must change nothing";
    EXPECT_EQ(rota::runtime::gomaxprocs(), expected);
    EXPECT_EQ(rota::runtime::gomaxprocs(expected), expected);
}

TEST_ANYWHERE(runtime, num_cpu_counts_the_processors_this_process_may_use) {
    // It could count those of the machine instead of those in the affinity mask.
    cpu_set_t mask;
    ASSERT_EQ(::sched_getaffinity(0, sizeof mask, &mask), 0);
    EXPECT_EQ(rota::runtime::num_cpu(), CPU_COUNT(&mask));
}

TEST_ANYWHERE(runtime, num_goroutine_follows_starts_and_ends) {
    // Starts and ends are counted per processor; a sum taken in the wrong order could be off for
    // good. Then it would not come to the exact number when all have parked, or not back.
    const int own = rota::runtime::goid() != 0 ? 1 : 0;
    EXPECT_TRUE(eventually([&] { return rota::runtime::num_goroutine() == own + left_behind; }))
        << scheduler_state();
    auto gate = rota::make_chan<rota::unit>();
    for (int i = 0; i < 100; ++i) rota::go([gate] { gate.recv(); });
    EXPECT_EQ(rota::runtime::num_goroutine(), 100 + own + left_behind);
    gate.close();
    EXPECT_TRUE(eventually([&] { return rota::runtime::num_goroutine() == own + left_behind; }))
        << scheduler_state();
}

TEST_ANYWHERE(runtime, num_thread_counts_at_least_the_monitor_and_a_worker) {
    // The count could be of another thing, or wrap.
    // Then it would be small or absurd.
    auto ch = rota::make_chan<int>();
    rota::go([ch] { ch.send(1); });
    ch.recv();
    EXPECT_GE(rota::runtime::num_thread(), 2);
    EXPECT_LE(rota::runtime::num_thread(), 1000) << scheduler_state();
}

TEST(runtime, gosched_lets_every_other_goroutine_run) {
    // On one processor a loop of gosched could choose itself for ever.
    // Then the others would not move and the watchdog would end this.
    rota::run([] {
        constexpr int others = 20, rounds = 50;
        std::vector<std::atomic<int>> counts(others);
        rota::wait_group wg;
        for (auto& count : counts) {
            wg.go([&count] {
                for (int i = 0; i < rounds; ++i) {
                    ++count;
                    rota::runtime::gosched();
                }
            });
        }
        EXPECT_TRUE(eventually([&] {
            for (const auto& count : counts) {
                if (count < rounds) return false;
            }
            return true;
        })) << scheduler_state();
        wg.wait();
    });
}

TEST(runtime, gosched_outside_rota_does_nothing) {
    // It could boot the runtime on the thread, or wait for a processor.
    // Then it would not return.
    std::thread([] {
        for (int i = 0; i < 1000; ++i) rota::runtime::gosched();
    }).join();
}

TEST_ANYWHERE(runtime, set_max_stack_changes_the_default_and_returns_the_former) {
    // The setting could be stored without effect, or the value given back be that of the rounding.
    // Then the value given back would differ, or the deep frame run into a guard.
    const std::size_t before = rota::runtime::set_max_stack(std::size_t{2} << 20);
    EXPECT_GE(before, std::size_t{16} << 10);
    auto ch = rota::make_chan<int>();
    rota::go([ch] {
        constexpr std::size_t size = std::size_t{3} << 19;
        auto* const frame = static_cast<volatile char*>(__builtin_alloca(size));
        for (std::size_t at = size; at >= 4096; at -= 4096) frame[at - 1] = 1;
        ch.send(frame[4095]);
    });
    EXPECT_EQ(ch.recv(), 1);
    EXPECT_EQ(rota::runtime::set_max_stack(100'000), std::size_t{2} << 20);
    EXPECT_EQ(rota::runtime::set_max_stack(1), 100'000u) << "as it was set, not rounded";
    EXPECT_EQ(rota::runtime::set_max_stack(before), 1u);
    EXPECT_EQ(rota::runtime::set_max_stack(before), before);
}

TEST_ANYWHERE(runtime, set_max_threads_returns_the_former_limit_and_refuses_nonsense) {
    // A limit of 0 could be taken and end the process at the next thread.
    // Then no panic would be thrown here.
    const int before = rota::runtime::set_max_threads(5000);
    EXPECT_EQ(before, 10'000);
    EXPECT_EQ(rota::runtime::set_max_threads(before), 5000);
    EXPECT_THROW(rota::runtime::set_max_threads(0), rota::panic_error);
    EXPECT_THROW(rota::runtime::set_max_threads(-3), rota::panic_error);
    EXPECT_EQ(rota::runtime::set_max_threads(before), before);
}

TEST_ANYWHERE(runtime, sched_stats_count_what_has_happened) {
    // A figure could be missing from the sum over the processors.
    // Then the difference over this test would be too small.
    const auto before = rota::runtime::read_sched_stats();
    constexpr int many = 200;
    auto ch = rota::make_chan<int>();
    for (int i = 0; i < many; ++i) {
        rota::go([ch] {
            rota::blocking([] {});
            rota::sleep_for(std::chrono::microseconds(1));
            ch.send(1);
        });
    }
    for (int i = 0; i < many; ++i) ch.recv();
    EXPECT_TRUE(eventually([&] {
        return rota::runtime::read_sched_stats().goroutines_ended >= before.goroutines_ended + many;
    }));
    const auto after = rota::runtime::read_sched_stats();
    EXPECT_EQ(after.goroutines_created - before.goroutines_created, std::uint64_t{many});
    EXPECT_EQ(after.syscalls - before.syscalls, std::uint64_t{many});
    EXPECT_GE(after.parks - before.parks, std::uint64_t{1});
    EXPECT_GE(after.timers_run - before.timers_run, std::uint64_t{1});
    EXPECT_LE(after.goroutines_ended, after.goroutines_created);
    EXPECT_GE(after.stolen, after.steals);
    EXPECT_GE(after.threads_created, std::uint64_t{1});
}

TEST(runtime, figures_may_be_read_while_everything_runs) {
    // Readers could see ends before starts and report negative goroutines, or race.
    // Then the count would be absurd for a moment, or tsan would report.
    std::atomic<bool> stop{false};
    std::thread reader([&] {
        while (!stop) {
            const int n = rota::runtime::num_goroutine();
            ASSERT_GE(n, 0);
            ASSERT_LT(n, 100'000);
            ASSERT_GE(rota::runtime::num_thread(), 1);
        }
    });
    rota::run([] {
        for (int round = 0; round < rota_test::scaled(200); ++round) {
            rota::wait_group wg;
            for (int i = 0; i < 100; ++i) wg.go([] {});
            wg.wait();
        }
    });
    stop = true;
    reader.join();
}

TEST_ANYWHERE(runtime, gc_destroys_what_pools_have_held_since_the_call_before) {
    // It could do nothing, or take values that have only just been put.
    auto value = std::make_shared<int>(7);
    rota::pool<std::shared_ptr<int>> box;
    box.put(std::shared_ptr<int>(value));
    rota::runtime::gc();
    EXPECT_EQ(value.use_count(), 2);
    rota::runtime::gc();
    EXPECT_EQ(value.use_count(), 1);
}
