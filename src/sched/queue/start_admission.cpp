// Keeps the goroutines that have been deferred in a queue of their own.
#include "sched/queue/start_admission.hpp"

#include "arch/context.hpp"

namespace rota::rt {

void set_ms_short(bool is_short) {
    if (is_short == ms_are_short()) return;
    __atomic_store_n(&sched.ms_short, is_short, __ATOMIC_RELAXED);
    // relaxed: at switches
    if (is_short) sched.direct_switch_blockers.fetch_add(1, memory_order_relaxed);
    // relaxed: as above
    else sched.direct_switch_blockers.fetch_sub(1, memory_order_relaxed);
}

void note_last_m() {
    if (sched.is_anyone_computing) set_ms_short(true);
}

bool defer_start(g& gp) {
    if (gp.sched.pc != reinterpret_cast<void*>(&rota_gostart) || gp.main_of != nullptr)
        return false;
    const lock_guard guard(sched.mu);
    if (!ms_are_short()) return false;
    if (sched.admitted_start == &gp) {
        sched.admitted_start = nullptr;
        return false;
    }
    sched.deferred_starts.push(gp);
    return true;
}

}  // namespace rota::rt
