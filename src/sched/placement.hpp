// On which processor a thread wakes up that takes over from one that is about to stop.
//
// Left to itself the kernel often puts it behind another busy thread, although the one that stops
// frees its processor a moment later, and notices at a tick only: at each end of a time slice a
// millisecond would be lost. So who hands a p on says in the p which processor becomes free; who
// wakes the m narrows its affinity to that; and the m, first of all, takes its own back. Where
// there are fewer busy ps than processors the kernel is left alone: it finds one that is idle.
#pragma once

#include "core/m.hpp"
#include "sched/idle.hpp"
#include "sys/thread.hpp"

namespace rota::rt {

// Wakes mp, which sleeps in `park` and has been given a p, on that processor, if it may run there;
// or p::anywhere.
void wake_on(m& mp, int processor);

void take_affinity_back(m& self);

// As far as rota knows.
inline bool is_no_processor_free() { return busy_p_count() >= processor_count(); }

// For the m that was woken by wake_on, or by others.
inline void is_awake_again(m& self) {
    if (ROTA_UNLIKELY(self.is_placed)) take_affinity_back(self);
}

}  // namespace rota::rt
