// Reads the clock for the goroutines that are timed, and records their waits.
#include "sched/base/latency.hpp"

#include "sys/call/clock.hpp"

namespace rota::rt {

namespace {

// In units of 32 ns. The value wraps after 137 s, and longer waits count as shorter ones: by then
// sysmon has asked every goroutine to yield ten thousand times.
constexpr int unit_bits = 5;
std::uint32_t now_in_units() { return static_cast<std::uint32_t>(nanotime() >> unit_bits); }

void begin_to_time(g& gp) {
    gp.ready_since = now_in_units();
    gp.at_start |= g::start_timed;
}

// Goroutines made runnable without a p. Not one of rota's atomics: which goroutines are timed would
// be a choice for the explorer of schedules.
constinit std::uint32_t made_outside = 0;

// Goroutines stopped where they computed; the first is timed.
constexpr std::uint32_t stop_period = 8;
constinit std::uint32_t made_stopped = 0;

}  // namespace

void ready_since_now(p& pp, g& gp) {
    pp.until_clock = p::clock_period;
    begin_to_time(gp);
}

void note_runnable_outside(g& gp) {
    const std::uint32_t n = __atomic_add_fetch(&made_outside, 1, __ATOMIC_RELAXED);
    if (n % p::clock_period == 0) begin_to_time(gp);
}

void note_stopped(g& gp) {
    const std::uint32_t n = __atomic_fetch_add(&made_stopped, 1, __ATOMIC_RELAXED);
    if (n % stop_period == 0) begin_to_time(gp);
}

void forget_runnable_outside() {
    __atomic_store_n(&made_outside, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&made_stopped, 0, __ATOMIC_RELAXED);
}

void at_start(g& gp) {
    if ((gp.at_start & g::start_timed) != 0) {
        const std::uint32_t waited = now_in_units() - gp.ready_since;
        gp.at_start &= static_cast<std::uint8_t>(~g::start_timed);
        sched_latency.record(std::int64_t{waited} << unit_bits);
    }
    if ((gp.at_start & g::start_blocks) == 0) return;
    gp.mp->leaves_p = true;
    gp.mp->preempt.store(true, memory_order_relaxed);  // relaxed: its own
}

}  // namespace rota::rt
