// Door: compiles gopark into the operation that waits. For the few operations whose cost is the
// cost of the switch; every other operation calls gopark.
//
// A park saves every callee-saved register, and the processor predicts each ret from the calls
// before it, which were another goroutine's. So few frames should lie between a blocking operation
// and its switch; a single frame is best.
#pragma once

#include "sched/base/bubble.hpp"
#include "sched/base/park.hpp"
#include "sched/queue/switch.hpp"
#include "trace/contention.hpp"

namespace rota::rt {

// Runs behind the switch away from a parked g: from here on the g can be readied.
void after_park(m& self, g& prev);
// As after_park, where commit_unlock is to run.
void after_park_unlock(m& self, g& prev);

// Parks the g of a thread that rota did not start: the thread itself sleeps.
void park_thread(m& self, g& gp, park_commit commit, void* arg);

// gopark that measures and counts the time of the wait.
void park_profiled(park_commit commit, void* arg, wait_reason why);

// Parks the current g. Unlocks: `commit` is commit_unlock.
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
    gopark(commit, arg, why);  // the sanitizer keeps account of frames: none may be left half-way
#else
    if (ROTA_UNLIKELY(block_rate() != 0)) return park_profiled(commit, arg, why);
    park_now(commit, arg, why);
#endif
}

// gopark_unlock.
ROTA_ALWAYS_INLINE void park_unlock_here(lock& l, wait_reason why)
    ROTA_RELEASE(l) ROTA_NO_TSA {  // released on another stack
#if ROTA_TSAN || ROTA_ASAN
    gopark_unlock(l, why);  // the sanitizer keeps account of frames: none may be left half-way
#else
    if (ROTA_UNLIKELY(block_rate() != 0)) return park_profiled(commit_unlock, &l, why);
    park_now<true>(commit_unlock, &l, why);
#endif
}

}  // namespace rota::rt
