// syscall_handoff: one counting goroutine per processor beside 64 goroutines that sleep in the
// kernel, 20 ms at a time: the share of the counters' speed that remains.
//
// Models a program with libraries that block their threads. `.kept` and `.threads` with the sleeps
// inside rota::blocking, like Go's system calls; `.raw` and `.raw_threads` with plain nanosleep,
// unknown to the runtime. Good: 0.97 and 0.85, with as many threads as blocking goroutines and
// counters together, and a few more; Go keeps 0.42.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <rota/go.hpp>
#include <rota/sync.hpp>
#include <rota/time.hpp>
#include <vector>

#include "peers/common/bench.hpp"
#include "workloads.hpp"

namespace rota_bench {

namespace {

using namespace std::chrono_literals;

template <class S>
double count_beside(int blockers, S sleep) {
    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> total{0};
    rota::wait_group wg;
    for (int i = 0; i < blockers; i++) {
        wg.go([&] {
            while (!stop.load()) sleep();
        });
    }
    rota::sleep_for(100ms);
    const auto t = peers::Clock::now();
    for (int i = 0; i < peers::procs; i++) {
        wg.go([&] {
            std::uint64_t x = 0;
            while (!stop.load(std::memory_order_relaxed)) x++;
            total.fetch_add(x);
        });
    }
    rota::sleep_for(std::chrono::nanoseconds(static_cast<long>(peers::rep_ns)));
    stop.store(true);
    const double ns = peers::ns_since(t);
    wg.wait();
    return static_cast<double>(total.load()) / ns;
}

template <class S>
double kept_beside_sleeps(S sleep) {
    std::vector<double> kept;
    for (int r = 0; r < peers::kReps; r++)
        kept.push_back(count_beside(64, sleep) / count_beside(0, sleep));
    return peers::median(kept);
}

void sleep_raw() {
    const timespec t{0, 20'000'000};
    ::nanosleep(&t, nullptr);
}

}  // namespace

void syscall_handoff() {
    peers::emit("syscall_handoff.kept", kept_beside_sleeps([] { rota::blocking(sleep_raw); }),
                "fraction");
    peers::emit("syscall_handoff.threads", peers::threads(), "threads");
    peers::emit("syscall_handoff.raw", kept_beside_sleeps(sleep_raw), "fraction");
    peers::emit("syscall_handoff.raw_threads", peers::threads(), "threads");
}

}  // namespace rota_bench
