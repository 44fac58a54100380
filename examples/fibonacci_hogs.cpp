// Two hogs on one processor: the classic demonstration of preemption.
//
// Go: GOMAXPROCS=1 and two goroutines that compute Fibonacci numbers the slow way. They make no
// call of the runtime, so they never yield by themselves; before Go 1.14 the second began only
// after the end of the first. Here the runtime stops every goroutine that has computed for 10 ms,
// anywhere in its code. A goroutine that a timer readies does not even wait for that.
//
// What to see: both hogs progress all the time, at nearly the same speed, and the ticker ticks
// between them. `GODEBUG=schedtrace=100` shows the processor and its queue.
// Last line: two hogs and a ticker took turns on one processor
#include <rota/go.hpp>
#include <rota/runtime.hpp>
#include <rota/sync.hpp>
#include <rota/time.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <vector>

namespace {

using std::chrono::duration;
using std::chrono::milliseconds;

constexpr int number = 20;      // Fibonacci number of each round: about 30 us
constexpr int rounds = 10'000;  // rounds of each hog

struct hog {
    std::atomic<int> done{0};  // rounds
    // finished rounds of the other hog when this hog has done half of its rounds
    std::atomic<int> other_done{0};
};

// NOLINTNEXTLINE(misc-no-recursion): the slow way is intended
[[gnu::noinline]] int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

void compute(hog& self, const hog& other) {
    for (int i = 1; i <= rounds; ++i) {
        if (fibonacci(number) != 6765) return;
        self.done.store(i, std::memory_order_relaxed);
        if (i == rounds / 2) self.other_done = other.done.load(std::memory_order_relaxed);
    }
}

int share_one_processor() {
    rota::runtime::gomaxprocs(1);
    hog hogs[2];
    rota::wait_group both;
    both.go([&] { compute(hogs[0], hogs[1]); });
    both.go([&] { compute(hogs[1], hogs[0]); });

    const auto left = [&] { return hogs[0].done < rounds || hogs[1].done < rounds; };
    std::vector<duration<double, std::milli>> late;
    while (left()) {
        const auto due = rota::clock::now() + milliseconds(1);
        rota::sleep_until(due);
        late.emplace_back(rota::clock::now() - due);
        if (late.size() % 100 == 0)
            std::printf("%5.1f %% and %5.1f %% done\n", 100.0 * hogs[0].done / rounds,
                        100.0 * hogs[1].done / rounds);
    }
    both.wait();

    if (late.empty()) {
        std::printf("the ticker had no turn\n");
        return 1;
    }
    std::sort(late.begin(), late.end());
    const auto at = [&](double part) {
        return late[static_cast<std::size_t>(part * static_cast<double>(late.size() - 1))].count();
    };
    std::printf("%zu ticks, late by %.2f ms (median), %.2f ms (99 of 100)\n", late.size(), at(0.5),
                at(0.99));
    for (const hog& one : hogs) {
        if (one.other_done > 0) continue;
        std::printf("a hog had done half of its work before the other had begun\n");
        return 1;
    }
    std::printf("two hogs and a ticker took turns on one processor\n");
    return 0;
}

}  // namespace

int main() { return rota::run(share_one_processor); }
