// The deadlock detector.
#include "sched/deadlock.hpp"

#include "base/fatal.hpp"

namespace rota::rt {

bool is_deadlocked() {
    if (sched.m_count != sched.idle_m_count) return false;
    if (sched.run_count == 0 || sched.stopping) return false;
    // relaxed: an m that sleeps because sysmon took its p has acquired that from sysmon's exchange
    // (p.syscall)
    if (sched.retaking.load(memory_order_relaxed)) return false;
    if (sched.foreign_used.load(memory_order_relaxed))
        return false;  // relaxed: a thread that comes now brings its own work
    for (std::int32_t i = 0; i < sched.gomaxprocs; ++i) {
        if (sched.allp[i]->timers.earliest() != 0) return false;
    }
    return true;
}

void report_deadlock() { fatal("all goroutines are asleep - deadlock!", trace_scope::all); }

}  // namespace rota::rt
