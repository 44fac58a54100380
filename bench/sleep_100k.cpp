// sleep_100k: 100 thousand goroutines sleep 1 to 1000 ms at the same time.
//
// Models timeouts and back-offs by the thousand: the overshoot of a sleep, `.p50` and `.p99` in
// ms, and what all of them cost, `.cpu` in CPU seconds. The median shows how exactly an idle
// thread waits for the next deadline, the 99th percentile how the timer heaps stand the first rush
// of additions, the CPU time both. Good: a p99 below 2 ms and at most 0.25 CPU seconds.
#include <algorithm>
#include <chrono>
#include <random>
#include <rota/go.hpp>
#include <rota/sync.hpp>
#include <rota/time.hpp>
#include <vector>

#include "peers/common/bench.hpp"
#include "workloads.hpp"

namespace rota_bench {

void sleep_100k() {
    constexpr int n = 100000;
    std::vector<double> over(n);
    std::minstd_rand rnd(1);
    rota::wait_group wg;
    wg.add(n);
    double cpu = peers::cpu_seconds();
    for (int i = 0; i < n; i++) {
        const int ms = 1 + static_cast<int>(rnd() % 1000);
        rota::go([&, i, ms] {
            const auto t = peers::Clock::now();
            rota::sleep_for(std::chrono::milliseconds(ms));
            over[static_cast<std::size_t>(i)] = peers::ns_since(t) / 1e6 - ms;
            wg.done();
        });
    }
    wg.wait();
    cpu = peers::cpu_seconds() - cpu;
    std::sort(over.begin(), over.end());
    peers::emit("sleep_100k.p50", peers::pct(over, .5), "ms");
    peers::emit("sleep_100k.p99", peers::pct(over, .99), "ms");
    peers::emit("sleep_100k.cpu", cpu, "s");
}

}  // namespace rota_bench
