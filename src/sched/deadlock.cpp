// The deadlock detector.
#include "sched/deadlock.hpp"

#include "base/fatal.hpp"
#include "netpoll/poller.hpp"

namespace rota::rt {

bool is_deadlocked() {
    if (sched.m_count != sched.idle_m_count + sched.locked_idle_count) return false;
    if (sched.run_count == 0 || sched.stopping || !sched.put_off.empty()) return false;
    // relaxed: under sched.mu. Somebody has queued it, or found no m for it, and is about to wake
    // one.
    if (sched.runq_size.load(memory_order_relaxed) != 0) return false;
    // relaxed: an m that sleeps because sysmon took its p has acquired that from sysmon's exchange
    // (p.syscall)
    if (sched.retaking.load(memory_order_relaxed)) return false;
    if (sched.world_stops) return false;  // who starts it again wakes whoever has work
    if (sched.foreign_used.load(memory_order_relaxed))
        return false;  // relaxed: a thread that comes now brings its own work
    if (net_poller.has_waiters_hint()) return false;  // relaxed: each m has counted under sched.mu
    for (std::int32_t i = 0; i < proc_count(); ++i) {
        if (sched.allp[i]->timers.earliest() != 0) return false;
    }
    return true;
}

namespace {

// Nobody creates or ends any: all ms sleep.
bool no_goroutine_lives() {
    std::uint64_t live = shared_counts.created.load(memory_order_relaxed);  // relaxed: see above
    for (std::int32_t i = 0; i < made_count(); ++i) {
        const p_counters& c = sched.allp[i]->counts;
        live += c.created.load(memory_order_relaxed);  // relaxed: as above
        live -= c.ended.load(memory_order_relaxed);    // relaxed: as above
    }
    return live == 0;
}

}  // namespace

void report_deadlock() {
    fatal(no_goroutine_lives() ? "no goroutines (main called runtime.Goexit) - deadlock!"
                               : "all goroutines are asleep - deadlock!",
          trace_scope::all);
}

}  // namespace rota::rt
