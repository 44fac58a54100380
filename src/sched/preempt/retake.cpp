// Implements the taker's side of taking a p. The m's side is sched/base/runtime_entry.hpp and,
// behind it, reenter_slow in sched/thread/syscall.
#include "sched/preempt/retake.hpp"

#include "core/sched.hpp"
#include "sched/preempt/thread_fence.hpp"
#include "sched/record/trace_events.hpp"
#include "sys/thread/asymmetric.hpp"

namespace rota::rt {

namespace {

// A taker holds it from its request to the outcome. An m that is locked out sleeps here.
constinit lock one_taker{lock_rank::retake};

// Ms whose p was taken and that sysmon does not follow yet; linked by retaken_next.
constinit m* just_taken ROTA_GUARDED_BY(one_taker) = nullptr;

// Puts mp on the list from which sysmon begins to follow it.
void note_taken(m& mp) ROTA_REQUIRES(one_taker) {
    if (mp.is_followed) return;
    mp.is_followed = true;
    mp.retaken_next = just_taken;
    just_taken = &mp;
}

// Caller: has found the m outside the runtime, and locked it out: no other thread changes the
// fields that it owns.
bool is_holder(const m& mp, const p& pp) { return mp.pp == &pp && !mp.curg->is_thread; }

// Whether the request has found the m outside. in_runtime is read first: that makes visible the
// value that the m stored into `entry` before it left, for example `in_syscall`.
bool is_outside(const m& mp) {
    return mp.in_runtime.load(memory_order_acquire) == 0 &&                // pairs(entry.left)
           mp.entry.load(memory_order_relaxed) == entry_state::requested;  // relaxed: as above
}

// Blocked turns in a row that make a habit, and the most that are counted.
constexpr std::uint8_t habit = 1, habit_max = 3;

// Runs a fence on every thread, or on the m's thread alone. False: nothing is known of the m.
bool fence_for_take(m& mp) {
    if (!asymmetric.heavy.load(memory_order_seq_cst))
        return fence_thread(mp);  // pairs(asymmetric.on)
    heavy_fence();                // pairs(entry.mark)
    return true;
}

}  // namespace

void note_blocked_turn(g& gp) {
    if (gp.blocked_turns < habit_max) ++gp.blocked_turns;
    if (gp.blocked_turns >= habit) gp.at_start |= g::start_blocks;
}

void note_short_turn(g& gp) {
    if (gp.blocked_turns > 0) --gp.blocked_turns;
    if (gp.blocked_turns < habit) gp.at_start &= static_cast<std::uint8_t>(~g::start_blocks);
}

void forget_blocked_turns(g& gp) {
    gp.blocked_turns = 0;
    gp.at_start &= static_cast<std::uint8_t>(~g::start_blocks);
}

bool retake_p(p& pp, retake_from what) {
    m* const mp = pp.mp.load(memory_order_acquire);  // pairs(p.m)
    if (mp == nullptr) return false;
    const lock_guard guard(one_taker);
    if (!mp->entry.cas(entry_state::clear, entry_state::requested, memory_order_relaxed))
        return false;  // relaxed: the fence below
    if (!fence_for_take(*mp) || !is_outside(*mp) || !is_holder(*mp, pp)) {
        // An m on its way into a system call may have overwritten the request: the request is void
        // then.
        (void)mp->entry.cas(entry_state::requested, entry_state::clear,
                            memory_order_release);  // pairs(entry.retaken)
        return false;
    }
    casgstatus(*mp->curg, g_status::running, g_status::syscall);
    if (is_traced()) trace_proc_take(pp, *mp);
    mp->old_p = &pp;
    mp->has_hardly_run = what == retake_from::hardly_run;
    if (what == retake_from::blocked) note_blocked_turn(*mp->curg);
    mp->left_p_at = 0;
    mp->hold_none();
    pp.mp.store(nullptr, memory_order_relaxed);
    mp->entry.store(entry_state::retaken, memory_order_release);  // pairs(entry.retaken)
    note_taken(*mp);
    return true;
}

void run_as_retaken(m& self) {
    bump(self.returns_without_p);
    const lock_guard guard(one_taker);
    self.entry.store(entry_state::retaken, memory_order_seq_cst);  // pairs(exit.flag)
    note_taken(self);
}

void run_without_p(m& self) {
    sched.ms_without_p.fetch_add(1, memory_order_relaxed);  // relaxed: a bound, not a count
    self.runs_without_p = true;
    run_as_retaken(self);
}

void end_run_without_p(m& self) {
    if (!self.runs_without_p) return;
    self.runs_without_p = false;
    sched.ms_without_p.fetch_sub(1, memory_order_relaxed);  // relaxed: a bound, not a count
}

m* ms_just_retaken() {
    const lock_guard guard(one_taker);
    m* const list = just_taken;
    just_taken = nullptr;
    return list;
}

bool is_back(m& mp) {
    const lock_guard guard(one_taker);
    // relaxed: a hint
    if (mp.entry.load(memory_order_relaxed) == entry_state::retaken) return false;
    mp.is_followed = false;
    return true;
}

bool may_take_lock(const self_header& me) {
    const m& mp = static_cast<const m&>(me);
    // relaxed, both: written by this thread
    return mp.in_runtime.load(memory_order_relaxed) != 0 || mp.curg->is_thread ||
           mp.entry.load(memory_order_relaxed) == entry_state::in_syscall;
}

entry_state wait_for_outcome(m& self) {
    for (;;) {
        const entry_state now = self.entry.load(memory_order_acquire);  // pairs(entry.retaken)
        if (now != entry_state::requested) return now;
        const lock_guard guard(one_taker);
    }
}

}  // namespace rota::rt
