// Implements entersyscall and exitsyscall, and the way out of a taken p.
#include "sched/thread/syscall.hpp"

#include <utility>

#include "base/probe.hpp"
#include "sched/base/latency.hpp"
#include "sched/base/leaving.hpp"
#include "sched/base/modes.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/m/m_lifecycle.hpp"
#include "sched/preempt/retake.hpp"
#include "sched/preempt/stop_settings.hpp"
#include "sched/queue/idle.hpp"
#include "sched/queue/m_bind.hpp"
#include "sched/queue/run_queue.hpp"
#include "sched/queue/switch.hpp"
#include "sched/record/trace_events.hpp"
#include "sys/call/clock.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

// Queues the goroutine of an m on g0 without a p: it goes on wherever there is a p.
void after_slow_exit(m& self, g& prev) {
    p* pp = nullptr;
    const bool is_locked = prev.locked_m == &self;
    {
        const lock_guard guard(sched.mu);
        ++sched.calls_ended;
        pp = pidle_get();
        if (pp == nullptr && self.has_hardly_run) global_put_early(prev);
        else if (pp == nullptr) global_put(prev);
        else if (is_locked) self.locked_ready = true;
    }
    if (pp == nullptr) return;
    acquirep(self, *pp);
    if (!is_locked) runq_put(*pp, prev, true);
}

bool take_old_p(m& self) {
    p& old = *self.old_p;
    p_status seen = p_status::syscall;
    if (!old.status.compare_exchange(seen, p_status::running,
                                     memory_order_seq_cst,     // pairs(p.syscall) pairs(exit.flag)
                                     memory_order_acquire)) {  // pairs(p.syscall)
        return false;
    }
    bind_p(self, old);
    if (is_traced()) trace_old_p(self, old);
    return true;
}

bool take_other_p(m& self) {
    if (sched.idle_p_count.load(memory_order_relaxed) == 0)
        return false;  // relaxed: the slow way looks again
    p* pp = nullptr;
    {
        const lock_guard guard(sched.mu);
        ++sched.calls_ended;
        pp = pidle_get();
    }
    if (pp == nullptr) return false;
    self.resumed_in_slice.store(turn_of(*pp), memory_order_relaxed);  // relaxed: a guess
    acquirep(self, *pp);
    if (is_traced()) trace_go_on(self);
    return true;
}

// Ends this m: the process exits, no goroutine goes on in user code, and the exit need not wait for
// this p.
[[noreturn]] ROTA_COLD void end_with_p(m& self) {
    self.pp->status.store(p_status::gcstop, memory_order_release);  // pairs(exit.stopped)
    sleep_for_ever();
}

// As above, without a p: no thread waits for the m.
[[noreturn]] ROTA_COLD void end_without_p(m& self) {
    self.in_runtime.store(0, memory_order_release);  // pairs(entry.left)
    sleep_for_ever();
}

// kept: the old p, which no m has taken meanwhile
enum class got_p : std::uint8_t { none, kept, idle };

// Gets a p for the goroutine that runs on self without one, if a p is free.
got_p get_p_at_once(m& self) {
    self.entry.store(entry_state::clear, memory_order_relaxed);  // relaxed: written by this thread
    const bool kept = take_old_p(self);
    if (!kept && !take_other_p(self)) return got_p::none;
    // Behind the acquisition: either the exit sees that the p runs, or this m sees the exit.
    if (ROTA_UNLIKELY(sched.exiting.load(memory_order_seq_cst)))
        end_with_p(self);  // pairs(exit.flag)
    casgstatus(*self.curg, g_status::syscall, g_status::running);
    return kept ? got_p::kept : got_p::idle;
}

// Parks the goroutine until there is a p for it. It may come back on another m.
ROTA_NOINLINE ROTA_SWITCHES_STACK void wait_for_p(m& self) {
    g& gp = *self.curg;
    note_runnable_outside(gp);
    casgstatus(gp, g_status::syscall, g_status::runnable);
    trace_go_wait(self);
    // relaxed: a guess; other goroutines will run here
    self.resumed_in_slice.store(0, memory_order_relaxed);
    before_leaving(self, gp);
    self.after = after_slow_exit;
    self.prev = &gp;
    switch_to(self, gp, self.g0);
}

// Whether self's goroutine, which began its turn by leaving its p, did not wait in this turn: the
// turn was over soon, or spent computing.
bool was_busy_turn(m& self) {
    constexpr std::int64_t short_turn = 20'000;  // ns
    const std::int64_t wall = nanotime() - self.left_p_at;
    if (wall < short_turn) return true;
    const int tid = self.tid.load(memory_order_relaxed);  // relaxed: our own
    return thread_cpu_time(tid) - self.left_p_cpu > wall / 2;
}

void get_p_again(m& self) {
    end_run_without_p(self);
    if (self.left_p_at > 0 && was_busy_turn(self)) note_short_turn(*self.curg);
    self.left_p_at = 0;
    if (get_p_at_once(self) == got_p::none) wait_for_p(self);
}

// Lets a goroutine that comes out of its system call while all ps are busy go on in user code, as
// if its p had been taken. It mostly has little to do before its next call, or before it needs a p.
// To fetch a p at once would cost a computing goroutine its turn.
bool go_on_without_p(m& self) {
    // relaxed, all: the m that stops the world or the process looks again; a bound, not a count
    if (!stop_settings.stops || sched.stop_wanted.load(memory_order_relaxed) ||
        sched.no_stops.load(memory_order_relaxed) ||
        sched.ms_without_p.load(memory_order_relaxed) >= proc_count())
        return false;
    run_without_p(self);
    // pairs(exit.flag)
    if (ROTA_UNLIKELY(sched.exiting.load(memory_order_seq_cst))) end_without_p(self);
    return true;
}

// Goes from one system call into the next without a p. False: nothing was done.
bool enter_without_p(m& self) {
    self.in_runtime.store(1, memory_order_relaxed);       // relaxed: its reader brings the barrier
    std::atomic_signal_fence(std::memory_order_seq_cst);  // pairs(entry.mark)
    const bool has_none = wait_for_outcome(self) == entry_state::retaken;
    if (has_none) {
        end_run_without_p(self);
        self.has_hardly_run = false;
        self.left_p_at = m::never_had_p;
        shared_counts.syscalls.fetch_add(1, memory_order_relaxed);        // relaxed: for reports
        self.entry.store(entry_state::in_syscall, memory_order_relaxed);  // relaxed: our own
    }
    self.in_runtime.store(0, memory_order_release);  // pairs(entry.left)
    return has_none;
}

}  // namespace

namespace {

// Consecutive calls that have lost their p before the next call gives the p up by itself.
constexpr std::uint8_t call_habit = 2, call_habit_max = 3;

// Hands the p off at once for a goroutine whose last calls have all blocked: the p does not wait
// for sysmon.
ROTA_NOINLINE void hand_off_at_once(m& self, p& pp) {
    if (is_traced()) trace_proc_steal(pp);
    self.entry.store(entry_state::in_syscall, memory_order_relaxed);  // relaxed: published below
    self.left_p_at = nanotime();
    shared_counts.handoffs.fetch_add(1, memory_order_relaxed);  // relaxed: for reports
    handoffp(pp);
    self.in_runtime.store(0, memory_order_release);  // pairs(entry.left)
}

// Notes what the ending call predicts of the next one. A call that began without a p predicts
// nothing.
void note_call(m& self, got_p got) {
    constexpr std::int64_t short_call = 20'000;  // ns
    const std::int64_t since = std::exchange(self.left_p_at, 0);
    if (since == m::never_had_p) return;
    g& gp = *self.curg;
    const bool was_short = got == got_p::kept || (since != 0 && nanotime() - since < short_call);
    if (was_short) gp.blocked_calls = 0;
    else if (gp.blocked_calls < call_habit_max) ++gp.blocked_calls;
}

}  // namespace

void entersyscall() {
    m* const mp = getm_or_null();
    if (mp == nullptr || mp->curg->is_thread) return;
    if (ROTA_UNLIKELY(seeded.on)) return;  // there is no m to hand the p to
    if (ROTA_UNLIKELY(mp->entry.load(memory_order_relaxed) == entry_state::retaken) &&
        enter_without_p(*mp))  // relaxed: looked at again
        return;
    m& self = enter_runtime();
    self.has_hardly_run = false;
    p& pp = *self.pp;
    casgstatus(*self.curg, g_status::running, g_status::syscall);
    bump(pp.counts.syscalls);
    bump(pp.syscall_tick);
    ROTA_PROBE2("syscall_enter", "8", self.curg->goid, "-4", pp.id);
    if (is_traced()) trace_go_syscall(self, pp);
    self.old_p = &pp;
    self.hold_none();
    pp.mp.store(nullptr, memory_order_relaxed);
    if (ROTA_UNLIKELY(self.curg->blocked_calls >= call_habit) && pp.lender == nullptr)
        return hand_off_at_once(self, pp);
    // This may overwrite a request that came while the m was inside: its taker sees that, and lets
    // go.
    self.entry.store(entry_state::in_syscall, memory_order_relaxed);  // relaxed: published below
    self.in_runtime.store(0, memory_order_release);                   // pairs(entry.left)
    pp.status.store(p_status::syscall,
                    memory_order_release);  // pairs(p.syscall); from here on sysmon may take it
}

void exitsyscall() {
    m* const mp = getm_or_null();
    if (mp == nullptr || mp->entry.load(memory_order_relaxed) != entry_state::in_syscall)
        return;  // relaxed: written by this thread
    ROTA_PROBE1("syscall_exit", "8", mp->curg->goid);
    mp->in_runtime.store(1, memory_order_relaxed);  // relaxed: its reader brings the barrier
    const got_p got = get_p_at_once(*mp);
    if (got != got_p::kept || mp->curg->blocked_calls != 0) note_call(*mp, got);
    if (got == got_p::none) {
        if (go_on_without_p(*mp))
            return mp->in_runtime.store(0, memory_order_release);  // pairs(entry.left)
        wait_for_p(*mp);
    }
    leave_runtime();
}

namespace {

// Takes the m that gets the p of a leaving goroutine off the idle list; null: none is idle.
m* set_aside_for_leaver() ROTA_EXCLUDES(sched.mu) {
    const lock_guard guard(sched.mu);
    m* const to = sched.world_stops ? nullptr : midle_get();
    if (to != nullptr) ++sched.retaken_count;  // until sysmon has counted anew
    return to;
}

}  // namespace

bool leave_p(m& self) {
    g& gp = *self.curg;
    p& pp = *self.pp;
    if (!stop_settings.stops || gp.is_locked || gp.is_pinned || pp.lender != nullptr) return false;
    m* const to = set_aside_for_leaver();
    if (to == nullptr) return false;
    casgstatus(gp, g_status::running, g_status::syscall);
    if (is_traced()) trace_proc_take(pp, self);
    self.old_p = &pp;
    self.has_hardly_run = false;
    self.hold_none();
    // relaxed: written by this thread until the p is handed off
    pp.mp.store(nullptr, memory_order_relaxed);
    self.left_p_at = nanotime();
    self.left_p_cpu = thread_cpu_time(self.tid.load(memory_order_relaxed));  // relaxed: our own
    run_as_retaken(self);
    handoffp(pp, to);
    // pairs(exit.flag)
    if (ROTA_UNLIKELY(sched.exiting.load(memory_order_seq_cst))) end_without_p(self);
    self.in_runtime.store(0, memory_order_release);  // pairs(entry.left)
    return true;
}

m& reenter_slow() {
    m& self = getm();
    if (wait_for_outcome(self) != entry_state::clear) get_p_again(self);
    return getm();
}

bool retake_syscall_p(p& pp) {
    // release as well: an exit that fails because of this exchange must know that its caller holds
    // the p (deadlock detector).
    if (!pp.status.cas(p_status::syscall, p_status::running,
                       memory_order_acq_rel))  // pairs(p.syscall)
        return false;
    if (is_traced()) trace_proc_steal(pp);
    return true;
}

}  // namespace rota::rt
