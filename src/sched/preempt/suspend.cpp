// Keeps the line of stopped ms, and implements the handler of the stop signal.
#include "sched/preempt/suspend.hpp"

#include <atomic>
#include <utility>

#include "core/getg.hpp"
#include "sched/base/latency.hpp"
#include "sched/base/wakeup.hpp"
#include "sched/preempt/retake.hpp"
#include "sched/preempt/scan.hpp"
#include "sched/preempt/stop_settings.hpp"
#include "sched/preempt/thread_fence.hpp"
#include "sched/queue/idle.hpp"
#include "sched/queue/m_bind.hpp"
#include "sched/queue/placement.hpp"
#include "sched/queue/suspended_queue.hpp"
#include "sched/record/trace_events.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

void get_in_line(m& self) ROTA_REQUIRES(sched.mu) {
    note_stopped(*self.curg);
    casgstatus(*self.curg, g_status::syscall, g_status::preempted);
    trace_go_wait(self);
    self.park.clear();
    self.has_hardly_run = false;
    push_suspended(self);
}

// Finds a p on which nothing runs: an idle p, or the p of an m that has no thread yet. `spun`: the
// p was meant for a spinner, which is no longer counted.
p* find_p(bool& spun) ROTA_REQUIRES(sched.mu) {
    if (p* const pp = pidle_get()) return pp;
    m* const mp = sched.starting_ms;
    if (mp == nullptr) return nullptr;
    sched.starting_ms = mp->starting_next;
    mp->starting_next = nullptr;
    p* const pp = mp->next_p;
    mp->next_p = nullptr;
    spun = mp->spinning;
    if (spun) {
        mp->spinning = false;
        ROTA_CHECK(sched.nmspinning.fetch_sub(1, memory_order_seq_cst) > 0);  // pairs(wake.submit)
    }
    return pp;
}

void go_on(m& self, p& pp) {
    bump(pp.sched_tick);  // before sysmon can see the holder: one turn, one tick
    self.sleeps_at_resume.store(current_thread_sleeps(), memory_order_relaxed);  // relaxed: a guess
    // relaxed: a guess
    self.resumed_in_slice.store(turn_of(pp), memory_order_relaxed);
    acquirep(self, pp);
    if (is_traced()) trace_go_on(self);
    // A new time slice, as in findrunnable.
    self.preempt.store(false, memory_order_relaxed);             // relaxed: advice
    self.entry.store(entry_state::clear, memory_order_release);  // pairs(exit.flag): the p is there
}

// Caller: self, inside the runtime. entry is `taken`, and stays so until self changes it.
void stop(m& self, const gobuf& interrupted) {
    g& gp = *self.curg;
    p* pp = nullptr;
    bool spun = false;
    {
        const lock_guard guard(sched.mu);
        if (sched.no_stops.load(memory_order_relaxed)) return;  // relaxed: set under sched.mu
        pp = find_p(spun);
        if (pp == nullptr) get_in_line(self);
    }
    end_run_without_p(self);
    forget_blocked_turns(gp);  // gp computes
    if (pp != nullptr) {
        casgstatus(gp, g_status::syscall, g_status::running);
        go_on(self, *pp);
        // Submitters have relied on that spinner, which does not come.
        if (spun) wakep();
        return;
    }
    stand_still(self, interrupted);
    self.park.sleep();
    move_again(self);
    is_awake_again(self);
    note_running(gp);
    pp = self.next_p;
    if (pp == nullptr) return casgstatus(gp, g_status::preempted, g_status::syscall);
    self.next_p = nullptr;
    casgstatus(gp, g_status::preempted, g_status::running);
    go_on(self, *pp);
}

}  // namespace

void suspend_here(const gobuf& interrupted) {
    m* const mp = getm_or_null();
    if (mp != nullptr) answer_fence(*mp);
    // Only rota's own signal counts: a signal from another sender must neither stop a thread that
    // is blocked, nor give it a p. relaxed, both: see stop_sent; our own
    if (mp == nullptr || !mp->stop_sent.exchange(false, memory_order_relaxed) ||
        mp->in_runtime.load(memory_order_relaxed) != 0 ||
        mp->entry.load(memory_order_acquire) != entry_state::retaken)  // pairs(entry.retaken)
        return;
    // The child of a fork still has its parent's m at first: no thread would give it a p.
    if (mp->tid.load(memory_order_relaxed) != current_thread_id()) return;  // relaxed: our own
    mp->in_runtime.store(1, memory_order_relaxed);        // relaxed: its reader brings the barrier
    std::atomic_signal_fence(std::memory_order_seq_cst);  // pairs(entry.mark)
    stop(*mp, interrupted);
    mp->in_runtime.store(0, memory_order_release);  // pairs(entry.left)
}

void resume_suspended(m& mp, p& pp) {
    ROTA_CHECK(mp.next_p == nullptr);
    const int processor = std::exchange(pp.vacated, p::anywhere);
    mp.next_p = &pp;
    wake_on(mp, processor);
}

void stop_thread(m& mp) {
    mp.stop_sent.store(true, memory_order_relaxed);  // relaxed: see stop_sent
    // relaxed: see tid
    (void)thread_signal(mp.tid.load(memory_order_relaxed), stop_settings.signal);
}

m* release_suspended() {
    m* mp = nullptr;
    {
        const lock_guard guard(sched.mu);
        mp = pop_suspended();
    }
    if (mp != nullptr) mp->park.wakeup();
    return mp;
}

void release_all_suspended() {
    {
        const lock_guard guard(sched.mu);
        sched.no_stops.store(true, memory_order_relaxed);  // relaxed: read under sched.mu
    }
    while (release_suspended() != nullptr) {
    }
}

}  // namespace rota::rt
