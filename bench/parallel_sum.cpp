// parallel_sum: 512 goroutines that only compute, 2 to 252 thousand steps each; milliseconds for
// all.
//
// Models a skewed batch of CPU-bound work. The scheduler hardly shows in the time itself; it shows
// in `.speedup`, the time with 1 proc over the time with 2, which the caller computes. Good: 1.95
// or more on two idle cores, which needs an idle proc to find the rest of a batch at once.
#include <atomic>
#include <cstdint>
#include <rota/go.hpp>
#include <rota/sync.hpp>

#include "peers/common/bench.hpp"
#include "workloads.hpp"

namespace rota_bench {

void parallel_sum() {
    peers::bench_ms("parallel_sum", [] {
        rota::wait_group wg;
        std::atomic<std::uint64_t> total{0};
        wg.add(peers::kSumTasks);
        for (int i = 0; i < peers::kSumTasks; i++) {
            rota::go([&, i] {
                total += peers::burn(static_cast<std::uint64_t>(i), peers::sum_cost(i));
                wg.done();
            });
        }
        wg.wait();
    });
}

}  // namespace rota_bench
