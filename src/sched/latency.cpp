// Looking at the clock.
#include "sched/latency.hpp"

#include "sys/clock.hpp"

namespace rota::rt {

void ready_since_now(p& pp, g& gp) {
    pp.until_clock = p::clock_period;
    gp.ready_since = nanotime();
}

void count_latency(g& gp) {
    sched_latency.record(nanotime() - gp.ready_since);
    gp.ready_since = 0;
}

}  // namespace rota::rt
