// Spawning under load: trees, many creators at once, spawners that must not starve the rest.
#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "load.hpp"

using rota_test::choices;
using rota_test::eventually;
using rota_test::scheduler_state;
using rota_test::time_box;

namespace {

struct tree {
    rota::wait_group wg;
    std::atomic<std::uint64_t> started{0};
    std::atomic<std::uint64_t> ended{0};

    // A node: starts its children by one of the ways there are, and does a little.
    void node(int depth, std::uint64_t salt) {
        choices choose(salt);
        const unsigned children = depth == 0 ? 0 : choose.below(4);
        for (unsigned i = 0; i < children; ++i) {
            const std::uint64_t child = salt * 5 + i + 1;
            ++started;
            switch (choose.below(4)) {
                case 0: wg.go([this, depth, child] { node(depth - 1, child); }); break;
                case 1:
                    wg.add(1);
                    rota::go({.name = "node", .stack_size = std::size_t{64} << 10},
                             [this, depth, child] {
                                 node(depth - 1, child);
                                 wg.done();
                             });
                    break;
                case 2: {
                    auto f = rota::async([this, depth, child] { node(depth - 1, child); });
                    f.get();
                    break;
                }
                default:
                    wg.add(1);
                    rota::go([this, depth, child] {
                        rota::runtime::gosched();
                        node(depth - 1, child);
                        wg.done();
                    });
            }
            if (choose.once_in(16)) rota::runtime::gosched();
        }
        ++ended;
    }
};

}  // namespace

TEST(spawn, trees_are_complete) {
    // A goroutine could get lost in an overflow, a steal or a reused stack.
    // Then fewer nodes would end than start, or the group would never be done.
    const time_box box;
    rota_test::progress progress(1);
    for (std::uint64_t round = 0; box.open(); ++round) {
        tree t;
        rota::run([&] {
            for (std::uint64_t root = 0; root < 8; ++root) {
                ++t.started;
                t.wg.go([&t, root, round] { t.node(7, (round << 8) + root); });
            }
            t.wg.wait();
        });
        ASSERT_EQ(t.started, t.ended) << scheduler_state();
        progress.step(0);
    }
}

TEST(spawn, bursts_larger_than_every_queue_are_run_completely) {
    // A burst overflows the ring again and again while thieves empty it.
    // An element that both or neither took would make the sum wrong.
    const time_box box;
    rota_test::progress progress(1);
    while (box.open()) {
        constexpr int many = rota_test::live_goroutines_max < 20'000 ? 2500 : 20'000;
        std::atomic<long> sum{0};
        rota::run([&] {
            rota::wait_group wg;
            for (int i = 0; i < many; ++i) wg.go([&sum, i] { sum += i; });
            wg.wait();
        });
        ASSERT_EQ(sum, static_cast<long>(many) * (many - 1) / 2) << scheduler_state();
        progress.step(0);
    }
}

TEST(spawn, threads_and_goroutines_create_together) {
    // Creators without a processor use the global lists of goroutines and of work.
    // A dead goroutine handed out twice, or work lost there, would break the balance.
    const time_box box;
    constexpr std::size_t threads = 4, goroutines = 4;
    rota_test::progress progress(threads + goroutines);
    std::atomic<long> started{0};
    std::atomic<long> ended{0};
    const auto create = [&](std::size_t worker) {
        choices choose(worker);
        while (box.open()) {
            const unsigned batch = 1 + choose.below(40);
            for (unsigned i = 0; i < batch; ++i) {
                ++started;
                rota::go([&ended] { ++ended; });
            }
            // Bounds the number of live goroutines.
            EXPECT_TRUE(eventually([&] { return started - ended < 1000; })) << scheduler_state();
            progress.step(worker);
        }
        progress.finish(worker);
    };
    std::vector<std::thread> callers;
    for (std::size_t t = 0; t < threads; ++t) callers.emplace_back([&, t] { create(t); });
    rota::wait_group wg;
    for (std::size_t g = 0; g < goroutines; ++g) wg.go([&, g] { create(threads + g); });
    wg.wait();
    for (auto& t : callers) t.join();
    EXPECT_TRUE(eventually([&] { return started == ended; }))
        << started - ended << scheduler_state();
}

TEST(kb10_spawners, that_respawn_without_end_let_others_in) {
    // New goroutines inherit the slot and the slice; a chain of them could keep a queued one out
    // for ever. Then the plain goroutine would not have its turns within the limit.
    rota::run([] {
        std::atomic<bool> stop{false};
        std::atomic<int> chains{0};
        std::function<void()> respawn = [&] {
            if (stop) --chains;
            else rota::go(respawn);
        };
        const int many = rota::runtime::gomaxprocs(0);
        chains = many;
        for (int i = 0; i < many; ++i) rota::go(respawn);
        std::atomic<int> turns{0};
        rota::go([&] {
            for (int i = 0; i < 20; ++i) {
                rota::runtime::gosched();
                ++turns;
            }
        });
        EXPECT_TRUE(eventually([&] { return turns == 20; })) << turns << "; " << scheduler_state();
        stop = true;
        EXPECT_TRUE(eventually([&] { return chains == 0; })) << chains;
    });
}

TEST(kb10_spawners, endless_gosched_on_every_processor_lets_a_queued_goroutine_in) {
    // Yielding goes to the global queue: it could starve the local queues, or be starved by them.
    // Then the goroutines that were queued beside would not all run.
    rota::run([] {
        std::atomic<bool> stop{false};
        rota::wait_group wg;
        for (int i = 0; i < 2 * rota::runtime::gomaxprocs(0); ++i) {
            wg.go([&] {
                while (!stop) rota::runtime::gosched();
            });
        }
        std::atomic<int> ran{0};
        for (int i = 0; i < 100; ++i) wg.go([&] { ++ran; });
        EXPECT_TRUE(eventually([&] { return ran == 100; })) << ran << "; " << scheduler_state();
        stop = true;
        wg.wait();
    });
}

// Not every child had to wait until its parent's p was taken, a slice later.
void expect_few_handoffs(std::uint64_t before, std::uint64_t children) {
    const std::uint64_t handoffs = rota::runtime::read_sched_stats().handoffs - before;
    EXPECT_LT(handoffs, children / 2 + 10) << children << " children";
}

TEST(kb11_child_in_runnext, of_a_spinning_parent_runs_elsewhere) {
    // The slot could be closed to thieves: a child of a parent that computes would wait until its
    // slice is over and its p taken, each time.
    if (rota::runtime::gomaxprocs(0) < 2) {
        std::printf("one processor: nobody else can run the child, nothing to see\n");
        return;
    }
    std::chrono::nanoseconds worst{0};
    std::uint64_t children = 0;
    const std::uint64_t handoffs = rota::runtime::read_sched_stats().handoffs;
    const time_box box(std::chrono::milliseconds(800));
    rota::run([&] {
        for (; box.open(); ++children) {
            std::atomic<bool> ran{false};
            const auto start = std::chrono::steady_clock::now();
            rota::go([&] { ran = true; });
            ASSERT_TRUE(rota_test::spin_until([&] { return ran.load(); })) << scheduler_state();
            worst = std::max(worst, std::chrono::steady_clock::now() - start);
        }
    });
    expect_few_handoffs(handoffs, children);
    std::printf("slowest child: %.3f ms\n", static_cast<double>(worst.count()) / 1e6);
}

TEST(kb11_child_in_runnext, of_a_spinning_parent_runs_elsewhere_after_thousands_that_did_nothing) {
    // Goroutines that do nothing are left to the p that made them. One that has learned to leave
    // them, and never takes any again, would leave two behind a computation.
    if (rota::runtime::gomaxprocs(0) < 2) {
        std::printf("one processor: nobody else can run the children, nothing to see\n");
        return;
    }
    std::uint64_t times = 0;
    const std::uint64_t handoffs = rota::runtime::read_sched_stats().handoffs;
    const time_box box(std::chrono::milliseconds(500));
    rota::run([&] {
        for (; box.open(); ++times) {
            for (int round = 0; round < 100; ++round) {
                rota::wait_group wg;
                for (int i = 0; i < 50; ++i) wg.go([] {});
                wg.wait();
            }
            std::atomic<int> ran{0};
            for (int i = 0; i < 2; ++i) rota::go([&] { ++ran; });
            ASSERT_TRUE(rota_test::spin_until([&] { return ran == 2; })) << scheduler_state();
        }
    });
    expect_few_handoffs(handoffs, times);
}
