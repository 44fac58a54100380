// Checks urgent goroutines beside a ring full of goroutines that compute.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <rota/go.hpp>
#include <rota/runtime.hpp>
#include <rota/sync.hpp>
#include <rota/time.hpp>

#include "../../gomaxprocs_restored.hpp"
#include "base/annotations.hpp"

namespace {

using namespace std::chrono_literals;

using steady = std::chrono::steady_clock;

// Threads that compute, and measure how long the kernel lets them wait.
class busy_threads {
  public:
    explicit busy_threads(unsigned n) {
        for (unsigned i = 0; i < n; ++i) threads_.emplace_back([this] { compute(); });
    }
    // Ends the threads; returns the longest wait of a thread.
    steady::duration longest_wait() {
        stop_ = true;
        for (std::thread& t : threads_) t.join();
        threads_.clear();
        return steady::duration(longest_);
    }
    ~busy_threads() { longest_wait(); }
    busy_threads(const busy_threads&) = delete;
    busy_threads& operator=(const busy_threads&) = delete;

  private:
    void compute() {
        steady::rep longest = 0;
        for (auto before = steady::now(); !stop_.load(std::memory_order_relaxed);) {
            const auto now = steady::now();
            longest = std::max(longest, (now - before).count());
            before = now;
        }
        steady::rep seen = longest_;
        while (seen < longest && !longest_.compare_exchange_weak(seen, longest)) {
        }
    }

    std::atomic<bool> stop_{false};
    std::atomic<steady::rep> longest_{0};
    std::vector<std::thread> threads_;
};

// `came` goroutines of `all` began or finished while one waited. Proves nothing if threads wait so
// long that the bound is no bound.
void judge(int came, std::int64_t bound, int all, steady::duration wait) {
    std::printf("%d of %d came meanwhile; threads have waited for up to %d ms\n", came, all,
                static_cast<int>(wait / 1ms));
    if (bound >= all) GTEST_SKIP() << "threads wait too long for a processor of this machine";
    EXPECT_LT(came, bound);
}

constexpr int hogs = 200;

// The largest number of hogs that have begun to compute while one of eight sleepers waited for its
// turn.
int most_begun_while_one_waited() {
    constexpr int sleepers = 8;
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

// A sleeper's turn needs a thread, for which the kernel may have no processor for a while. In that
// time at most one further goroutine begins each millisecond.
void sleepers_do_not_stand_behind_all(unsigned busy) {
    if (ROTA_TSAN)
        GTEST_SKIP() << "ThreadSanitizer is so slow with so many threads that nothing is proven";
    busy_threads others(busy);
    const int most = most_begun_while_one_waited();
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(others.longest_wait());
    const auto bound = 50 + wait.count();
    judge(most, bound, hogs, wait);
}

TEST(kb10_sleepers, do_not_stand_behind_all_who_compute) {
    // Eight timers are due at a time: seven of the goroutines could be put behind the ring, and the
    // eighth too when the global queue comes first.
    sleepers_do_not_stand_behind_all(1);
}

TEST(kb10_sleepers, whose_threads_lack_a_processor_have_not_computed) {
    // Where other threads want the processors, a sleeper's turn of a few microseconds takes
    // milliseconds. The runtime could treat it as if it had computed: ask it to yield, or take its
    // p, and put it behind every hog.
    sleepers_do_not_stand_behind_all(3 * std::max(1u, std::thread::hardware_concurrency()));
}

TEST(kb10_sleepers, wait_for_a_ring_at_most_where_turns_are_short) {
    // Many sleepers could stand in a queue that gives one turn in 61, although the ring would have
    // come to them long before. A sleeper that has woken and has no processor for a while counts
    // every turn meanwhile, as above.
    constexpr int workers = 20, rounds = 150, sleepers = 50;
    constexpr auto turn = 150us;
    std::vector<int> most(sleepers, 0);
    busy_threads others(1);
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
                    const auto until = steady::now() + turn;
                    while (steady::now() < until) {
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
    const auto wait = others.longest_wait();
    const int seen = *std::max_element(most.begin(), most.end());
    const auto bound = 20 * workers + wait / turn;
    judge(seen, bound, workers * rounds, wait);
}

}  // namespace
