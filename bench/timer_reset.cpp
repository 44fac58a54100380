// timer_reset: create a timer for an hour and stop it.
//
// Models the time limit of a call that answers in time, the use of nearly every timer. One op is
// the block's memory, the clock, and one place in the heap taken and given back. Good: below 100
// ns, and no wake-up of the poller: the timers of this workload never come due.
#include <chrono>
#include <rota/go.hpp>
#include <rota/time.hpp>

#include "peers/common/bench.hpp"
#include "workloads.hpp"

namespace rota_bench {

void timer_reset() {
    peers::bench("timer_reset", 1, [](long n) {
        for (long i = 0; i < n; i++) {
            const rota::timer t(std::chrono::hours(1));
            t.stop();
        }
    });
}

}  // namespace rota_bench
