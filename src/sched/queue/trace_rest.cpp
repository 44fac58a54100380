// Keeps the list of resting goroutines: that of a running trace, and that of a trace that has just
// ended.
#include "sched/queue/trace_rest.hpp"

#include <limits>

#include "base/probe.hpp"
#include "sched/base/latency.hpp"
#include "sched/base/park.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/base/wakeup.hpp"
#include "sched/queue/run_queue.hpp"
#include "sched/record/trace_events.hpp"
#include "sys/call/clock.hpp"

namespace rota::rt {

namespace {

// In the frame of a resting goroutine.
struct resting_g {
    std::int64_t until;
    g* gp = nullptr;
    resting_g* next = nullptr;
};

constexpr std::int64_t nobody_rests = std::numeric_limits<std::int64_t>::max();

constinit resting_g* all_resting ROTA_GUARDED_BY(sched.mu) = nullptr;
// The first `until` in the list. Written under sched.mu; relaxed: sysmon may see it a round late.
constinit atomic<std::int64_t> next_wake{nobody_rests};

// Lists gp, whose registers are saved, off its stack: from here on sysmon may find it.
bool enter_rest(g& gp, void* arg) {
    auto& r = *static_cast<resting_g*>(arg);
    const lock_guard guard(sched.mu);
    r.gp = &gp;
    r.next = all_resting;
    all_resting = &r;
    // relaxed, both: under sched.mu
    if (r.until < next_wake.load(memory_order_relaxed))
        next_wake.store(r.until, memory_order_relaxed);
    return true;
}

// Wakes gp for sysmon, which has no p. From here on gp and its frame belong to the m that runs it.
void wake_rested(g& gp) ROTA_REQUIRES(sched.mu) {
    note_runnable_outside(gp);
    casgstatus(gp, g_status::waiting, g_status::runnable);
    ROTA_PROBE1("go_ready", "8", gp.goid);
    trace_go_unblock(gp);
    global_put_urgent(gp);
}

void wake_all_until(std::int64_t now) ROTA_REQUIRES(sched.mu) {
    std::int64_t first = nobody_rests;
    for (resting_g** at = &all_resting; *at != nullptr;) {
        resting_g& r = **at;
        if (r.until <= now) {
            *at = r.next;
            wake_rested(*r.gp);
            continue;
        }
        if (r.until < first) first = r.until;
        at = &r.next;
    }
    next_wake.store(first, memory_order_relaxed);  // relaxed: see there
}

}  // namespace

void trace_rest(std::int64_t ns) {
    const runtime_entry inside;
    resting_g r{.until = nanotime() + ns};
    gopark(enter_rest, &r, wait_reason::sleep);
}

bool is_trace_resting() { return all_resting != nullptr; }

void trace_wake_rested(std::int64_t now) {
    // relaxed: see next_wake
    if (now < next_wake.load(memory_order_relaxed)) return;
    {
        const lock_guard guard(sched.mu);
        wake_all_until(now);
    }
    wakep();
}

void trace_wake_rested_at_end(std::int64_t now) {
    if (now < next_wake.load(memory_order_relaxed)) return;  // relaxed: see there
    // The wake-up takes both locks, the first one twice. Another thread that ends the process and
    // holds a lock never releases it: then every later look fails as well, until the time is over.
    if (!sched.mu.try_acquire()) return;
    if (!trace_log.mu.try_acquire()) return sched.mu.release();
    trace_log.mu.release();
    wake_all_until(now);
    sched.mu.release();
    wakep();
}

}  // namespace rota::rt
