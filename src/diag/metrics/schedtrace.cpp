// Prints the lines of GODEBUG=schedtrace. The detailed lines have the fields of Go's scheduler
// traceback; a field without a counterpart here has the value that Go prints for nothing.
#include "diag/metrics/schedtrace.hpp"

#include <cstdio>

#include "core/sched.hpp"
#include "diag/text/report.hpp"
#include "mem/stack.hpp"
#include "sched/queue/run_queue.hpp"
#include "sched/world/default_procs.hpp"

namespace rota::rt {

namespace {

// Figures that belong together: they are read in one section under sched.mu.
struct queue_figures {
    std::int32_t threads = 0, idle = 0, locked_idle = 0;
    std::uint32_t queued = 0;
    bool world_stops = false;
};

queue_figures look_at_queues() {
    queue_figures f;
    const lock_guard guard(sched.mu);
    f.threads = sched.m_count + 1;  // sysmon
    f.idle = sched.idle_m_count;
    f.locked_idle = sched.locked_idle_count;
    f.queued = sched.runq.size() + sched.urgent.size() + sched.deferred_starts.size() +
               sched.suspended_count;
    f.world_stops = sched.world_stops;
    return f;
}

// `now`: when the line was due, not when it is printed: the first printing may take milliseconds.
void print_summary(report& out, const queue_figures& f, std::int64_t now) {
    static std::int64_t first = 0;  // sysmon only
    if (first == 0) first = now;
    out.print(
        "SCHED %lldms: gomaxprocs=%d idleprocs=%d threads=%d spinningthreads=%d needspinning=%d "
        "idlethreads=%d "
        "runqueue=%u ",
        static_cast<long long>((now - first) / 1'000'000), proc_count(),
        sched.idle_p_count.load(memory_order_relaxed), f.threads,  // relaxed: a report
        sched.nmspinning.load(memory_order_relaxed),               // relaxed: a report
        sched.need_spinning.load(memory_order_relaxed) ? 1 : 0,    // relaxed: a report
        f.idle, f.queued);
}

void print_throttling(report& out) {
    cpu_throttling held;
    if (!read_throttling(held) || held.periods == 0) return;
    out.print(" throttled=%llu/%llu,%llums", static_cast<unsigned long long>(held.throttled),
              static_cast<unsigned long long>(held.periods),
              static_cast<unsigned long long>(held.throttled_us / 1000));
}

const char* truth(bool b) { return b ? "true" : "false"; }

// Formats a number, or nil.
struct reference {
    char text[24] = "nil";
    reference(bool is_there, unsigned long long number) {
        if (is_there) std::snprintf(text, sizeof text, "%llu", number);
    }
};

ROTA_READS_RACING void print_p(report& out, const p& pp) {
    const m* const mp = pp.mp.load(memory_order_acquire);  // pairs(p.m)
    // relaxed, each load: a report
    out.print("  P%d: status=%u schedtick=%u syscalltick=%u m=%s runqsize=%u gfreecnt=%u "
              "timerslen=%u\n",
              pp.id, static_cast<unsigned>(pp.status.load(memory_order_relaxed)),
              pp.sched_tick.load(memory_order_relaxed), pp.syscall_tick.load(memory_order_relaxed),
              reference(mp != nullptr, mp != nullptr ? mp->id : 0).text, runq_length(pp),
              pp.gfree_count, pp.timers.size());
}

// Reads fields that mp's thread writes meanwhile; ms, ps and headers of goroutines are never
// unmapped.
ROTA_READS_RACING void print_m(report& out, const m& mp) {
    const p* const pp = mp.pp;
    const g* const gp = mp.curg;
    const g* const locked = mp.locked_g.load(memory_order_relaxed);  // relaxed, each load: a report
    const bool runs = gp != nullptr && gp != &mp.g0;
    const bool is_locked = locked != nullptr && locked != &mp.g0;
    const bool blocked = mp.is_idle || mp.locked_idle || mp.suspended.load(memory_order_relaxed);
    out.print("  M%llu: p=%s curg=%s mallocing=0 throwing=0 preemptoff= locks=%u dying=0 "
              "spinning=%s blocked=%s lockedg=%s\n",
              static_cast<unsigned long long>(mp.id),
              reference(pp != nullptr, pp != nullptr ? static_cast<unsigned>(pp->id) : 0).text,
              reference(runs, runs ? gp->goid : 0).text, mp.in_runtime.load(memory_order_relaxed),
              truth(mp.spinning), truth(blocked),
              reference(is_locked, is_locked ? locked->goid : 0).text);
}

ROTA_READS_RACING void print_g(report& out, const g& gp) {
    const g_status status = readgstatus(gp);
    if (status == g_status::idle || status == g_status::dead) return;
    const bool runs =
        status == g_status::running || status == g_status::syscall || status == g_status::preempted;
    const m* const mp = runs ? gp.mp : nullptr;
    const m* const locked = gp.locked_m;
    out.print("  G%llu: status=%u(%s) m=%s lockedm=%s\n", static_cast<unsigned long long>(gp.goid),
              static_cast<unsigned>(status), wait_reason_text(gp.why),
              reference(mp != nullptr, mp != nullptr ? mp->id : 0).text,
              reference(locked != nullptr, locked != nullptr ? locked->id : 0).text);
}

}  // namespace

void schedtrace(std::int64_t now) {
    report out;
    print_summary(out, look_at_queues(), now);
    out.print("[ ");
    for (std::int32_t i = 0; i < proc_count(); ++i) out.print("%u ", runq_length(*sched.allp[i]));
    out.print("] schedticks=[ ");
    for (std::int32_t i = 0; i < proc_count(); ++i) {
        out.print("%u ",
                  sched.allp[i]->sched_tick.load(memory_order_relaxed));  // relaxed: a report
    }
    out.print("]");
    print_throttling(out);
    out.print("\n");
    out.flush();
}

// Differs: Go holds sched.lock all the time, so every thread waits for a slow reader of stderr. Go
// also lists dead goroutines; here a dead goroutine waits without a number for reuse.
void schedtrace_in_detail(std::int64_t now) {
    report out;
    const queue_figures f = look_at_queues();
    print_summary(out, f, now);
    // relaxed, both: a report
    out.print("gcwaiting=%s nmidlelocked=%d stopwait=%d sysmonwait=%s", truth(f.world_stops),
              f.locked_idle, sched.stop_wait.load(memory_order_relaxed),
              truth(sched.sysmon_wait.load(memory_order_relaxed)));
    print_throttling(out);
    out.print("\n");
    for (std::int32_t i = 0; i < proc_count(); ++i) print_p(out, *sched.allp[i]);
    const m* mp = sched.allm.load(memory_order_acquire);  // pairs(m.list)
    for (; mp != nullptr; mp = mp->all_link) {
        if (mp->tid.load(memory_order_relaxed) != 0) print_m(out, *mp);  // relaxed: a report
    }
    stack_for_each([](const stack_slot& slot,
                      void* to) { print_g(*static_cast<report*>(to), *header_of(slot)); },
                   &out);
    out.flush();
}

}  // namespace rota::rt
