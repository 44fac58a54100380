// Decides whether the program is deadlocked, and confirms that before it reports.
#include "sched/queue/deadlock.hpp"

#include "base/fatal.hpp"
#include "netpoll/poller.hpp"
#include "sched/queue/idle.hpp"
#include "sched/queue/trace_rest.hpp"
#include "sys/proc/threads_asleep.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {
constinit bool bystander_works ROTA_GUARDED_BY(sched.mu) = false;
}  // namespace

bool is_deadlocked() {
    // The m in the poller counts as asleep: it gets no notice when the last wait for a descriptor
    // ends. Once awake, it looks here again before it sleeps elsewhere.
    const std::int32_t in_poller =
        sched.last_poll.load(memory_order_seq_cst) == 0 ? 1 : 0;  // pairs(timer.poller)
    if (sched.m_count != sched.idle_m_count + sched.locked_idle_count + in_poller) return false;
    if (sched.run_count == 0 || sched.stopping || !sched.deferred_starts.empty()) return false;
    // relaxed: under sched.mu. The thread that queued the goroutine, or found no m for it, is about
    // to wake an m.
    if (sched.runq_size.load(memory_order_relaxed) != 0) return false;
    // relaxed: an m that sleeps because sysmon took its p has acquired that from sysmon's exchange
    // (p.syscall)
    if (sched.retaking.load(memory_order_relaxed)) return false;
    if (is_trace_resting()) return false;  // sysmon wakes the trace's goroutine
    if (sched.world_stops) return false;   // the starter of the world wakes every m with work
    if (bystander_works) return false;     // it wakes them too, and suspects a deadlock afterwards
    // relaxed, each: a thread that comes now brings its own work
    if (sched.outside_users.load(memory_order_relaxed) != 0) return false;
    if (sched.early_user.load(memory_order_relaxed) != 0) return false;
    if (sched.runs_coming.load(memory_order_relaxed) != 0) return false;
    if (net_poller.has_waiters_hint()) return false;  // relaxed: each m has counted under sched.mu
    for (std::int32_t i = 0; i < proc_count(); ++i) {
        if (sched.allp[i]->timers.earliest() != 0) return false;
    }
    return true;
}

namespace {

// No goroutine is created or ends meanwhile: every m sleeps.
bool no_goroutine_lives() {
    std::uint64_t live = shared_counts.created.load(memory_order_relaxed);  // relaxed: see above
    for (std::int32_t i = 0; i < made_count(); ++i) {
        const p_counters& c = sched.allp[i]->counts;
        live += c.created.load(memory_order_relaxed);  // relaxed: as above
        live -= c.ended.load(memory_order_relaxed);    // relaxed: as above
    }
    return live == 0;
}

// Accepts a thread that is_deadlocked counts as asleep, sysmon, and the poller's own thread. Work
// of an io_uring's own threads is known to the goroutines that wait for it. A thread that enters
// run(), leaves it, or ends, is not accepted: it may use rota next.
bool is_thread_of_runtime(int tid) {
    if (tid == sched.sysmon_tid.load(memory_order_relaxed)) return true;  // relaxed: written once
    if (tid == net_poller.watcher()) return true;
    if (tid == bystander_tid.load(memory_order_relaxed)) return true;  // relaxed: see there
    const m* mp = sched.allm.load(memory_order_acquire);               // pairs(m.list)
    for (; mp != nullptr; mp = mp->all_link) {
        if (mp->tid.load(memory_order_relaxed) != tid) continue;  // relaxed: every m sleeps
        return !mp->is_outside.load(memory_order_relaxed);        // relaxed: see there
    }
    return is_worker_of_ring(tid);
}

// 0 unless the program is deadlocked. If two looks return the same number, every m that slept at
// the first look has slept until the second.
std::uint64_t number_of_stillness() {
    const lock_guard guard(sched.mu);
    return is_deadlocked() ? sched.activity_serial : 0;
}

void note_suspicion() {
    const lock_guard guard(sched.mu);
    suspect_deadlock_now();
}

}  // namespace

void suspect_deadlock_now() {
    sched.deadlock_suspected.store(true, memory_order_relaxed);  // relaxed: under sched.mu
    wake_sysmon();
}

void confirm_deadlock() {
    const std::uint64_t stillness = number_of_stillness();
    if (stillness == 0) return;  // the m that has stirred looks again before it sleeps
    if (!all_others_sleep_for_ever(is_thread_of_runtime)) return note_suspicion();
    // A thread that has fallen asleep only now may have brought work before: this look sees that.
    // And no thread in run() has woken another thread meanwhile.
    if (number_of_stillness() != stillness) return;
    fatal(no_goroutine_lives() ? "no goroutines (main called runtime.Goexit) - deadlock!"
                               : "all goroutines are asleep - deadlock!",
          trace_scope::waiting);
}

void bystander_begins() {
    const lock_guard guard(sched.mu);
    bystander_works = true;
}

void bystander_rests() {
    const lock_guard guard(sched.mu);
    bystander_works = false;
    sched.deadlock_suspected.store(true, memory_order_relaxed);  // relaxed: under sched.mu
}

void suspect_deadlock() {
    // relaxed: sysmon's own
    sched.deadlock_suspected.store(true, memory_order_relaxed);
}

void look_at_suspicion() {
    // relaxed: the thread that sets it wakes sysmon, under sched.mu
    if (ROTA_LIKELY(!sched.deadlock_suspected.load(memory_order_relaxed))) return;
    bool dead = false;
    {
        const lock_guard guard(sched.mu);
        dead = is_deadlocked();
        if (!dead)
            sched.deadlock_suspected.store(false, memory_order_relaxed);  // relaxed: as above
    }
    if (dead) confirm_deadlock();
}

}  // namespace rota::rt
