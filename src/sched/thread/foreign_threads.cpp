// Attaches and detaches threads of the program's own, and turns them into ms for run() and back.
#include "sched/thread/foreign_threads.hpp"

#include <utility>

#include "core/getg.hpp"
#include "sched/base/hooks.hpp"
#include "sched/base/modes.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/base/wakeup.hpp"
#include "sched/m/m_lifecycle.hpp"
#include "sched/m/m_record.hpp"
#include "sched/m/m_thread.hpp"
#include "sched/preempt/retake.hpp"
#include "sched/preempt/stop_settings.hpp"
#include "sched/queue/deadlock.hpp"
#include "sched/queue/idle.hpp"
#include "sched/queue/m_bind.hpp"
#include "sched/queue/poll.hpp"
#include "sched/record/trace_events.hpp"
#include "sched/thread/lock_thread.hpp"
#include "sched/thread/locked_sleep.hpp"
#include "sys/signal/signal.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

// Counts the thread as one that may bring work, until uncount_outside.
void count_outside() {
    // relaxed: the deadlock detector takes sched.mu after this, or finds this thread awake.
    sched.outside_users.fetch_add(1, memory_order_relaxed);
}

bool uncount_outside(m& self) ROTA_REQUIRES(sched.mu) {
    if (!std::exchange(self.counts_outside, false)) return false;
    sched.outside_users.fetch_sub(1, memory_order_relaxed);  // relaxed: under sched.mu
    return true;
}

// Forgets the thread as the early user: from now on its m, or its run(), stands for it.
void forget_early_use() {
    // relaxed, both: a thread finds only its own number
    if (ROTA_UNLIKELY(sched.early_user.load(memory_order_relaxed) == current_thread_id()))
        sched.early_user.store(0, memory_order_relaxed);
}

// Gives the m of the calling thread back; the thread may attach again.
void detach(m& self) {
    ROTA_CHECK(self.foreign);
    if (self.g0.locals != nullptr) self.g0.locals->end(self.g0);
    trace_m_ends(self);
    signal_stack_free(self.signal_stack);
    set_self(nullptr);
    self.tid.store(0, memory_order_relaxed);                 // relaxed: published by sched.mu
    sched.foreign_count.fetch_sub(1, memory_order_relaxed);  // relaxed: for reports
    const lock_guard guard(sched.mu);
    self.idle_next = sched.free_foreign;
    sched.free_foreign = &self;
    // The thread ends. Goroutines may have waited for this thread alone.
    if (uncount_outside(self) && is_deadlocked()) suspect_deadlock_now();
}

m& attach() {
    boot_runtime();
    m* mp = nullptr;
    {
        const lock_guard guard(sched.mu);
        mp = sched.free_foreign;
        if (mp != nullptr) sched.free_foreign = mp->idle_next;
        else mp = &new_m_record();
        mp->idle_next = nullptr;
        ++mp->attached;
    }
    mp->foreign = true;
    mp->is_outside.store(true, memory_order_relaxed);        // relaxed: see there
    mp->preempt.store(chaos.on, memory_order_relaxed);       // relaxed: advice
    sched.foreign_count.fetch_add(1, memory_order_relaxed);  // relaxed: for reports
    minit(*mp);
    at_thread_end(mp, [](self_header* header) { detach(*static_cast<m*>(header)); });
    return *mp;
}

}  // namespace

m& attach_thread() {
    // First: once it has an m, the deadlock detector may find it asleep behind a lock.
    count_outside();
    sched.foreign_used.store(true, memory_order_relaxed);  // relaxed: as in count_outside
    m& self = attach();
    self.counts_outside = true;
    forget_early_use();
    if (seeded.on) seeded_note_thread();
    return self;
}

void attach_bystander() { attach(); }

void note_thread_use() {
    sched.foreign_used.store(true, memory_order_relaxed);  // relaxed: as in count_outside
    if (proc_count() != 0) {
        attach_thread();
        return;
    }
    int before = 0;  // relaxed, below: as in count_outside
    if (!sched.early_user.compare_exchange(before, current_thread_id(), memory_order_relaxed,
                                           memory_order_relaxed) &&
        before != current_thread_id())
        count_outside();  // one too many to remember: counted for good
}

namespace {

// Ends both ways out of run().
void end_attachment(m& self) {
    if (!self.detach_after_run) return;
    // What the thread does with rota outside run() counts as use by a thread of the program's own.
    at_thread_end(nullptr, nullptr);
    detach(self);
}

}  // namespace

m& thread_becomes_m() {
    m* mp = getm_or_null();
    const bool fresh = mp == nullptr;
    sched.runs_coming.fetch_add(1, memory_order_relaxed);  // relaxed: as in attach_thread
    if (fresh) mp = &attach();
    ROTA_CHECK(mp->foreign && mp->curg == &mp->g0);
    mp->detach_after_run = fresh;
    if (seeded.on) {                                           // it stays a thread, which waits
        mp->is_outside.store(false, memory_order_relaxed);     // relaxed: see there
        sched.runs_coming.fetch_sub(1, memory_order_relaxed);  // relaxed: what comes wakes the m
        return *mp;
    }
    note_fp_control(*mp);
    if (stop_settings.stops) mp->kept_stops_away = thread_unblock_signal(stop_settings.signal);
    mp->foreign = false;
    sched.foreign_count.fetch_sub(1, memory_order_relaxed);  // relaxed: for reports
    const lock_guard guard(sched.mu);
    count_m();
    (void)uncount_outside(*mp);
    forget_early_use();
    mp->is_outside.store(false, memory_order_relaxed);     // relaxed: see there
    sched.runs_coming.fetch_sub(1, memory_order_relaxed);  // relaxed: under sched.mu
    ++sched.activity_serial;
    ++sched.run_count;
    return *mp;
}

void m_becomes_thread(m& self) {
    if (seeded.on) return end_attachment(self);
    const bool spun = self.spinning;
    if (spun) {
        self.spinning = false;
        ROTA_CHECK(sched.nmspinning.fetch_sub(1, memory_order_seq_cst) > 0);  // pairs(wake.submit)
    }
    leave_locked_thread(self);
    if (self.pp != nullptr) handoffp(releasep(self));
    // Submitters may have relied on this spinner, timers and descriptors on this poller.
    if (spun || is_poller_needed()) wakep();
    self.foreign = true;
    sched.foreign_count.fetch_add(1, memory_order_relaxed);  // relaxed: for reports
    self.preempt.store(chaos.on, memory_order_relaxed);      // relaxed: advice
    self.in_runtime.store(0, memory_order_release);          // pairs(entry.left)
    if (self.kept_stops_away) thread_block_signal(stop_settings.signal);
    bool dead = false;
    {
        const lock_guard guard(sched.mu);
        --sched.m_count;
        self.is_outside.store(true, memory_order_relaxed);  // relaxed: see there
        ++sched.activity_serial;
        --sched.run_count;
        if (!self.detach_after_run) {
            count_outside();
            self.counts_outside = true;
        }
        dead = is_deadlocked();  // another run() may be waiting in vain
    }
    if (dead) confirm_deadlock();
    end_attachment(self);
}

void main_goroutine_ended(run_record& record) {
    m& main_m = *record.mp;  // the record may be gone once `done` is set
    bool asleep = false;
    {
        const lock_guard guard(sched.mu);
        record.done.store(true, memory_order_release);  // pairs(run.done)
        if (ROTA_UNLIKELY(seeded.on)) return seeded_run_over(main_m);
        asleep = end_locked_sleep(main_m);
    }
    if (asleep) main_m.park.wakeup();  // otherwise it is about to look, or is this very m
}

void goroutine_becomes_thread(m& self) {
    if (self.curg->is_thread) return;
    self.in_runtime.store(1, memory_order_relaxed);       // relaxed: its reader brings the barrier
    std::atomic_signal_fence(std::memory_order_seq_cst);  // pairs(entry.mark)
    (void)wait_for_outcome(self);
    if (self.pp != nullptr) {
        self.pp->status.store(p_status::gcstop, memory_order_release);  // pairs(exit.stopped)
        self.hold_none();
    }
    self.entry.store(entry_state::clear, memory_order_relaxed);  // relaxed: written by this thread
    self.curg = &self.g0;
    self.foreign = true;
    self.in_runtime.store(0, memory_order_release);  // pairs(entry.left)
}

}  // namespace rota::rt
