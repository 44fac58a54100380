// How long goroutines that could run have waited for a processor.
//
// Go looks at every eighth change of each goroutine. A look at the clock costs as much as a third
// of a switch, so here it is one of 64 changes of each p, whichever goroutine comes: what everybody
// pays is a countdown where it becomes runnable, and a test where it begins to run.
#pragma once

#include "core/sched.hpp"
#include "trace/counters.hpp"

namespace rota::rt {

// The slow halves: the clock is asked.
ROTA_COLD void ready_since_now(p& pp, g& gp);
ROTA_COLD void at_start(g& gp);

// As note_runnable below, by who has no p: a thread of the program's own, the monitor, a goroutine
// that comes out of a system call. Of all these together one in as many is timed. It is as slow as
// the locks that they take next.
void note_runnable_outside(g& gp);

// As note_runnable, for a goroutine that its own thread is about to stop where it computed. One in
// stop_period is timed, as in Go: they are rare, and wait for long. What they wait for is over when
// they go on (note_running). Caller: the handler of the signal, inside the runtime.
void note_stopped(g& gp);

// Forgets the counts of goroutines that were made runnable without a p, and of those stopped: a
// schedule that is repeated from here on times the same goroutines again.
void forget_runnable_outside();

// gp is about to become runnable, by the owner of pp, who alone knows it.
ROTA_ALWAYS_INLINE void note_runnable(p& pp, g& gp) {
    if (ROTA_UNLIKELY(--pp.until_clock == 0)) ready_since_now(pp, gp);
}

// gp runs from now on.
ROTA_ALWAYS_INLINE void note_running(g& gp) {
    if (ROTA_UNLIKELY(gp.at_start != 0)) at_start(gp);
}

}  // namespace rota::rt
