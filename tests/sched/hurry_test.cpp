// Who is in a hurry beside a ring full of goroutines that compute.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <rota/go.hpp>
#include <rota/runtime.hpp>
#include <rota/sync.hpp>
#include <rota/time.hpp>

#include "../gomaxprocs_restored.hpp"

namespace {

using namespace std::chrono_literals;

// The most goroutines that have begun to compute, of two hundred, while one of eight sleepers
// waited for its turn. That says nothing of the machine.
int most_begun_while_one_waited() {
    constexpr int hogs = 200, sleepers = 8;
    struct sleeper {
        int seen = 0, most = 0;
    };
    std::vector<sleeper> all(sleepers);
    const rota_test::gomaxprocs_restored restored;
    rota::runtime::gomaxprocs(1);
    rota::run([&] {
        std::atomic<int> begun{0}, asleep{0};
        std::atomic<bool> stop{false};
        rota::wait_group group;
        for (sleeper& s : all) {
            group.go([&] {
                ++asleep;
                while (!stop) {
                    rota::sleep_for(1ms);
                    s.most = std::max(s.most, begun - s.seen);
                    s.seen = begun;
                }
            });
        }
        while (asleep < sleepers) rota::runtime::gosched();
        for (int i = 0; i < hogs; ++i) {
            group.go([&] {
                ++begun;
                while (!stop.load(std::memory_order_relaxed)) {
                }
            });
        }
        while (begun < hogs) rota::sleep_for(1ms);
        stop = true;
        group.wait();
    });
    int most = 0;
    for (const sleeper& s : all) most = std::max(most, s.most);
    return most;
}

constexpr int bound_of_begun = 50;

TEST(kb10_sleepers, do_not_stand_behind_all_who_compute) {
    // Eight timers are due at a time: all but one goroutine could be put behind the ring, and that
    // one too, when the global queue comes first.
    EXPECT_LT(most_begun_while_one_waited(), bound_of_begun);
}

TEST(kb10_sleepers, whose_threads_lack_a_processor_have_not_computed) {
    // Where other threads want the processors, a sleeper's turn of some microseconds takes
    // milliseconds: it could be asked to yield, or lose its p, as if it had computed, and stand
    // behind all who do.
    std::atomic<bool> stop{false};
    std::vector<std::thread> others;
    for (unsigned i = 0; i < 3 * std::max(1u, std::thread::hardware_concurrency()); ++i) {
        others.emplace_back([&] {
            while (!stop.load(std::memory_order_relaxed)) {
            }
        });
    }
    const int most = most_begun_while_one_waited();
    stop = true;
    for (std::thread& t : others) t.join();
    EXPECT_LT(most, bound_of_begun);
}

TEST(kb10_sleepers, wait_for_a_ring_at_most_where_turns_are_short) {
    // Many could stand in a queue of which one goes on in 61 turns, although the ring would have
    // come to them long before.
    constexpr int workers = 20, rounds = 150, sleepers = 50, bound = 20 * workers;
    std::vector<int> most(sleepers, 0);
    const rota_test::gomaxprocs_restored restored;
    rota::runtime::gomaxprocs(1);
    rota::run([&] {
        std::atomic<int> turns{0};
        std::atomic<bool> over{false};
        rota::wait_group at_work, asleep;
        rota::barrier all(workers);
        for (int& gap : most) {
            asleep.go([&] {
                while (!over) {
                    const int before = turns;
                    rota::sleep_for(2ms);
                    gap = std::max(gap, turns - before);
                }
            });
        }
        for (int i = 0; i < workers; ++i) {
            at_work.go([&] {
                for (int k = 0; k < rounds; ++k) {
                    const auto until = std::chrono::steady_clock::now() + 150us;
                    while (std::chrono::steady_clock::now() < until) {
                    }
                    ++turns;
                    all.arrive_and_wait();
                }
            });
        }
        at_work.wait();
        over = true;
        asleep.wait();
    });
    EXPECT_LT(*std::max_element(most.begin(), most.end()), bound);
}

}  // namespace
