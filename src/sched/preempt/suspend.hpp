// Stops a thread in user code until it has a p again.
//
// rota never moves a goroutine off its thread, or runs another goroutine on top of it, where the
// goroutine has not asked for that: it may hold malloc's lock, or be in the middle of a function
// that knows its thread. Instead its thread stops, in the handler of a signal, and waits in line
// for a p with the goroutines of the global queue. The m that takes it out of the line hands its
// own p to the stopped m, as Go does with a goroutine that is locked to its thread.
//
//     sysmon: retake_p ──► signal ──► handler on the m's own thread:
//                                      entry = retaken, in_runtime = 0?  otherwise nothing
//                                      an idle p: takes it and goes on
//                                      otherwise: preempted, last in line; sleeps
//                                   resume_suspended ──► takes that p, entry := clear, goes on
//                                   release_suspended ─► goes on without a p
//
// A stopped thread may hold any lock of the program or of the C library. So nothing that gives it a
// p again waits for such a lock. The scheduler calls no malloc. The template thread, a thread that
// does nothing else, makes the threads (sched/m/template_thread). An m whose thread is still to be
// made gives its p to a thread that stops (sched.starting_ms). And sysmon lets a stopped thread go
// on without a p where nothing else moves.
#pragma once

#include "base/annotations.hpp"
#include "core/sched.hpp"

namespace rota::rt {

// The handler of the signal, on the thread that the signal meets, which may hold any lock of the
// program. Parks: never; stops the thread.
void suspend_here(const gobuf& interrupted) ROTA_EXCLUDES(sched.mu);

// Gives pp, which the caller holds, to an m that it has taken out of the line.
void resume_suspended(m& mp, p& pp);

// Sends the signal: mp, if it is outside the runtime without a p, takes an idle p or stops.
void stop_thread(m& mp);

// The first in line goes on without a p, until it enters the runtime or is stopped again. Null: no
// m is in line.
m* release_suspended() ROTA_EXCLUDES(sched.mu);

// From now on no thread is stopped, and stopped threads go on without a p. For the end of the
// process: its last functions may wait for locks that stopped threads hold. Takes sched.mu.
void release_all_suspended() ROTA_EXCLUDES(sched.mu);

}  // namespace rota::rt
