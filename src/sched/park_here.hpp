// Door: gopark, compiled into the operation that waits.
//
// A park saves all registers that a function keeps for its caller, and the processor guesses where
// each ret goes from the calls before it, which were another goroutine's. So the fewer frames lie
// between a blocking operation and its switch the better: one is best. For the few operations whose
// cost is that of the switch; all others call gopark.
#pragma once

#include "sched/bubble.hpp"
#include "sched/park.hpp"
#include "sched/switch.hpp"
#include "trace/contention.hpp"

namespace rota::rt {

// Behind the switch away from a parked g: from here on it can be readied.
void after_park(m& self, g& prev);
// The same where commit_unlock is to run.
void after_park_unlock(m& self, g& prev);

// The g of a thread that rota did not start: the thread itself sleeps.
void park_thread(m& self, g& gp, park_commit commit, void* arg);

// gopark, and its time is counted.
void park_profiled(park_commit commit, void* arg, wait_reason why);

// Unlocks: `commit` is commit_unlock.
template <bool Unlocks = false>
ROTA_ALWAYS_INLINE void park_now(park_commit commit, void* arg, wait_reason why) {
    m& self = getm();
    g& gp = *self.curg;
    gp.why = why;
    gp.park_arg = arg;
    gp.wait_since = about_now();
    ROTA_DCHECK(gp.is_in_bubble == (gp.in != nullptr));
    if (ROTA_UNLIKELY(gp.is_in_bubble)) {
        gp.durably_blocked = !gp.is_thread && !gp.waits_outside && is_durable(why);
        gp.waits_outside = false;
    }
    ROTA_PROBE2("go_park", "8", gp.goid, "1", gp.why);
    casgstatus(gp, g_status::running, g_status::waiting);
    if (ROTA_UNLIKELY(gp.is_thread)) return park_thread(self, gp, commit, arg);
    bump(self.pp->counts.parks);
    if (!Unlocks) self.commit = commit;
    self.commit_arg = arg;
    leave_g(self, gp, Unlocks ? after_park_unlock : after_park);
}

// gopark.
ROTA_ALWAYS_INLINE void park_here(park_commit commit, void* arg, wait_reason why) {
#if ROTA_TSAN || ROTA_ASAN
    gopark(commit, arg, why);  // a frame that they keep account of is not left in the middle
#else
    if (ROTA_UNLIKELY(block_rate() != 0)) return park_profiled(commit, arg, why);
    park_now(commit, arg, why);
#endif
}

// gopark_unlock.
ROTA_ALWAYS_INLINE void park_unlock_here(lock& l, wait_reason why)
    ROTA_RELEASE(l) ROTA_NO_TSA {  // released on another stack
#if ROTA_TSAN || ROTA_ASAN
    gopark_unlock(l, why);  // a frame that they keep account of is not left in the middle
#else
    if (ROTA_UNLIKELY(block_rate() != 0)) return park_profiled(commit_unlock, &l, why);
    park_now<true>(commit_unlock, &l, why);
#endif
}

}  // namespace rota::rt
