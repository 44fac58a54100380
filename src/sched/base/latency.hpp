// Measures how long runnable goroutines wait for a processor.
//
// Go times every eighth change of state of each goroutine. A look at the clock costs as much as a
// third of a switch, so rota times one of 64 changes of each p, whichever goroutine comes. The
// usual path pays a countdown where a goroutine becomes runnable, and a test where it begins to
// run.
#pragma once

#include "core/sched.hpp"
#include "trace/counters.hpp"

namespace rota::rt {

// The slow halves, which read the clock.
ROTA_COLD void ready_since_now(p& pp, g& gp);
ROTA_COLD void at_start(g& gp);

// As note_runnable below, for a caller without a p: a foreign thread, sysmon, a goroutine that
// comes out of a system call. One of 64 of their calls together is timed. The call is as slow as
// the locks that the caller takes next.
void note_runnable_outside(g& gp);

// As note_runnable, for a goroutine that its own thread is about to stop while it computes. One in
// stop_period is timed, as in Go: stops are rare, and the waits are long. The wait ends when the
// goroutine goes on (note_running). Caller: the handler of the signal, inside the runtime.
void note_stopped(g& gp);

// Forgets the counts of goroutines that were made runnable without a p, and of stopped goroutines:
// a schedule that is repeated from here on times the same goroutines again.
void forget_runnable_outside();

// gp is about to become runnable. Caller: the owner of pp, the only thread that may ready gp.
ROTA_ALWAYS_INLINE void note_runnable(p& pp, g& gp) {
    if (ROTA_UNLIKELY(--pp.until_clock == 0)) ready_since_now(pp, gp);
}

// gp runs from now on.
ROTA_ALWAYS_INLINE void note_running(g& gp) {
    if (ROTA_UNLIKELY(gp.at_start != 0)) at_start(gp);
}

}  // namespace rota::rt
