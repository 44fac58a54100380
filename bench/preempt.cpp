// preempt: the delay of a goroutine that a ticker readies every millisecond, beside two goroutines
// that compute without any call, on one processor.
//
// Models a server with a request that computes: the delay of every other request of that server.
// `.p50`, `.p99` and `.max` in ms; `.ticks` is the number of ticks served in two seconds (without
// dropped ticks), and `.kept` is the share of the two loops' speed that remains. Good: a p50 below
// 1.5 ms, a p99 below 4, at least 1,000 ticks and 0.9 of the speed; Go shows 20, 40 and 100.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <rota/go.hpp>
#include <rota/sync.hpp>
#include <rota/time.hpp>
#include <vector>

#include "peers/common/bench.hpp"
#include "workloads.hpp"

namespace rota_bench {

namespace {

using namespace std::chrono_literals;

// The steps per nanosecond that two goroutines make while `beside` runs.
template <class F>
double beside_two_loops(F beside) {
    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> steps{0};
    rota::wait_group wg;
    const auto t = peers::Clock::now();
    for (int i = 0; i < 2; i++) {
        wg.go([&] {
            std::uint64_t x = 0;
            while (!stop.load(std::memory_order_relaxed)) x++;
            steps.fetch_add(x);
        });
    }
    beside();
    stop.store(true);
    wg.wait();
    return static_cast<double>(steps.load()) / peers::ns_since(t);
}

std::vector<double> delays_of_a_ticker() {
    std::vector<double> delays;
    rota::wait_group served;
    served.go([&] {
        constexpr double period = 1e6;
        const auto t0 = peers::Clock::now();
        const rota::ticker tick(1ms);
        for (double last = 0; last < 2e9;) {
            tick.c().recv();
            const double now = peers::ns_since(t0);
            const double due = (static_cast<double>(static_cast<long>(last / period)) + 1) * period;
            delays.push_back(std::max(0.0, (now - due) / 1e6));
            last = now;
        }
        tick.stop();
    });
    served.wait();
    return delays;
}

}  // namespace

void preempt() {
    const double alone = beside_two_loops([] { rota::sleep_for(500ms); });
    std::vector<double> delays;
    const double beside = beside_two_loops([&] { delays = delays_of_a_ticker(); });
    std::sort(delays.begin(), delays.end());
    peers::emit("preempt.p50", peers::pct(delays, .5), "ms");
    peers::emit("preempt.p99", peers::pct(delays, .99), "ms");
    peers::emit("preempt.max", delays.back(), "ms");
    peers::emit("preempt.ticks", static_cast<double>(delays.size()), "ticks in 2 s");
    peers::emit("preempt.kept", beside / alone, "fraction");
}

}  // namespace rota_bench
