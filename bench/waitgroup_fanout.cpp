// waitgroup_fanout: start 100 empty goroutines and wait until each has ended; an op is such a
// fan-out.
// fan-out.
//
// Models a request that makes a hundred calls at once. Unlike spawn it joins often, so the start of
// a batch, its distribution to the other procs and the last wake-up weigh more. Good: 100 times the
// cost of spawn, and with 2 procs not more than with 1.
#include <rota/go.hpp>
#include <rota/sync.hpp>

#include "peers/common/bench.hpp"
#include "workloads.hpp"

namespace rota_bench {

void waitgroup_fanout() {
    peers::bench("waitgroup_fanout", 1, [](long n) {
        for (long i = 0; i < n; i++) {
            rota::wait_group wg;
            wg.add(100);
            for (int k = 0; k < 100; k++) rota::go([&] { wg.done(); });
            wg.wait();
        }
    });
}

}  // namespace rota_bench
