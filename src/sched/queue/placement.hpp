// Chooses the processor on which a thread wakes up that takes over from a thread about to stop.
//
// The kernel often puts the woken thread behind another busy thread, although the stopping thread
// frees its processor a moment later. It notices only at a tick: each end of a time slice would
// lose a millisecond. So the m that hands a p on writes into the p which processor becomes free.
// The waker of the next m narrows that m's affinity to this processor; the m restores its own
// affinity first of all. Where fewer ps are busy than there are processors, the kernel decides: it
// finds an idle processor.
#pragma once

#include "core/m.hpp"
#include "sched/queue/idle.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

// Wakes mp, which sleeps in `park` and has been given a p, on `processor` if mp may run there, or
// on p::anywhere.
void wake_on(m& mp, int processor);

void take_affinity_back(m& self);

// Whether every processor is busy, as far as rota knows.
inline bool is_no_processor_free() { return busy_p_count() >= processor_count(); }

// Restores the affinity of self. Caller: self, woken by wake_on or in another way.
inline void is_awake_again(m& self) {
    if (ROTA_UNLIKELY(self.is_placed)) take_affinity_back(self);
}

}  // namespace rota::rt
