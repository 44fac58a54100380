// Sums the counters of ps, and visits every m.
#include "diag/metrics/scheduler_counters.hpp"

#include <algorithm>

#include "core/sched.hpp"
#include "diag/stack/told_status.hpp"
#include "mem/stack.hpp"
#include "sched/base/hooks.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/queue/run_queue.hpp"
#include "sys/call/clock.hpp"

namespace rota::rt {

namespace {

// relaxed, all in this file: reports live with figures of different moments.
std::uint64_t figure(const counter& c) { return c.load(memory_order_relaxed); }

void add_counts(scheduler_counters& f, const p_counters& c) {
    f.ended += figure(c.ended);
    f.parks += figure(c.parks);
    f.steals += figure(c.steals);
    f.stolen += figure(c.stolen);
    f.global_gets += figure(c.global_gets);
    f.syscalls += figure(c.syscalls);
    f.preemptions += figure(c.preemptions);
    f.timers_run += figure(c.timers_run);
    f.lock_wait_ns += figure(c.lock_wait_ns);
}

// Whether m runs a goroutine, not its scheduler. The m does not wait for this look.
ROTA_READS_RACING bool runs_goroutine(const m& mp) {
    const g* const gp = mp.curg;
    return gp != nullptr && gp != &mp.g0;
}

void count_running(scheduler_counters& f) {
    for (std::int32_t i = 0; i < proc_count(); ++i) {
        const p& pp = *sched.allp[i];
        f.runnable += runq_length(pp);
        const m* const mp = pp.mp.load(memory_order_acquire);  // pairs(p.m)
        if (mp != nullptr && pp.status.load(memory_order_relaxed) == p_status::running &&
            runs_goroutine(*mp))
            ++f.running;
    }
}

// Goroutines in blocking(), and goroutines whose p was taken. A goroutine of the second kind that
// computes waits for a processor; if its thread is blocked, it does not. Asks the kernel about
// each.
void count_outside(scheduler_counters& f) {
    const m* mp = sched.allm.load(memory_order_acquire);  // pairs(m.list)
    for (; mp != nullptr; mp = mp->all_link) {
        const entry_state e = mp->entry.load(memory_order_relaxed);
        if ((e == entry_state::in_syscall || e == entry_state::retaken) && runs_goroutine(*mp) &&
            !mp->suspended.load(memory_order_relaxed))
            ++(computes_without_p(*mp) ? f.runnable : f.not_in_go);
    }
}

void count_under_lock(scheduler_counters& f) {
    const lock_guard guard(sched.mu);
    f.threads = static_cast<std::uint64_t>(sched.m_count) + 1;        // sysmon
    const auto trimmed = static_cast<std::int64_t>(stack_trim_ns());  // before the sums
    const processor_time::sums worked = sched.worked.until(nanotime_unseen());
    f.processor_ns = worked.total_ns;
    f.idle_ns = worked.idle_ns;
    // At most the busy time: a thread may have trimmed without a processor.
    f.trim_ns = std::clamp<std::int64_t>(f.processor_ns - f.idle_ns, 0, trimmed);
    f.runnable += sched.runq.size() + sched.urgent.size() + sched.deferred_starts.size() +
                  sched.suspended_count;
}

}  // namespace

scheduler_counters read_scheduler_counters() {
    boot_runtime();
    scheduler_counters f{};
    count_outside(f);  // takes a while: outside the runtime, so no thread waits for us
    const runtime_entry inside;
    // Ended before created, so that the difference is never negative.
    for (std::int32_t i = 0; i < made_count(); ++i) add_counts(f, sched.allp[i]->counts);
    for (std::int32_t i = 0; i < made_count(); ++i)
        f.created += figure(sched.allp[i]->counts.created);
    f.created += figure(shared_counts.created);
    f.syscalls += figure(shared_counts.syscalls);
    f.lock_wait_ns += figure(shared_counts.lock_wait_ns);
    f.handoffs = figure(shared_counts.handoffs);
    f.wakeups = figure(shared_counts.wakeups);
    f.threads_created = figure(shared_counts.threads);
    f.gomaxprocs = static_cast<std::uint64_t>(proc_count());
    count_running(f);
    count_under_lock(f);
    f.goroutines = f.created > f.ended ? f.created - f.ended : 0;
    const std::uint64_t elsewhere = f.running + f.runnable + f.not_in_go;
    f.waiting = f.goroutines > elsewhere ? f.goroutines - elsewhere : 0;
    return f;
}

}  // namespace rota::rt
