// Stopping a thread in user code until it has a p again.
//
// A goroutine is never moved off its thread, nor is another one run on top of it, where it has not
// asked for that: it may hold malloc's lock, or be in the middle of a function that knows its
// thread. Instead its thread stops, in the handler of a signal, and waits in line for a p with the
// goroutines of the global queue. Whoever takes it out of the line hands its own p to that m, as Go
// does with a goroutine that is locked to its thread.
//
//     sysmon: take_p ──► signal ──► handler on the m's own thread:
//                                      entry = taken, in_runtime = 0?  otherwise nothing
//                                      an idle p: takes it and goes on
//                                      otherwise: preempted, last in line; sleeps
//                                   resume_suspended ──► takes that p, entry := clear, goes on
//                                   release_suspended ─► goes on without one
//
// A stopped thread may hold any lock of the program or of the C library. So between here and there
// nobody waits for such a lock: the scheduler calls no malloc, threads are made by a thread that
// does nothing else (sched/maker), an m whose thread is still to be made gives its p to who stops
// (sched.unborn), and sysmon lets a stopped thread go on without a p where nothing else moves.
#pragma once

#include "base/annotations.hpp"
#include "core/sched.hpp"

namespace rota::rt {

// The handler of the signal, on whatever thread it meets. Any lock of the program may be held.
// Parks: never; stops the thread.
void suspend_here(const gobuf& interrupted) ROTA_EXCLUDES(sched.mu);

// How many goroutines of the global queue come before the first m in line. Caller: there is one.
[[nodiscard]] std::uint32_t ahead_of_suspended() ROTA_REQUIRES(sched.mu);

// Takes the first m out of the line, which must then be resumed or released; null: there is none.
m* pop_suspended() ROTA_REQUIRES(sched.mu);

// Puts mp back where pop_suspended has taken it from. False: no thread is stopped any more, and mp
// is the caller's to wake, without a p.
[[nodiscard]] bool unpop_suspended(m& mp) ROTA_REQUIRES(sched.mu);

// Gives pp, which the caller holds, to an m that it has taken out of the line.
void resume_suspended(m& mp, p& pp);

// Sends the signal: mp, if it is outside the runtime without a p, takes an idle one or stops.
void stop_thread(m& mp);

// The first in line goes on without a p, until it enters the runtime or is stopped again. Null: no
// m is in line.
m* release_suspended() ROTA_EXCLUDES(sched.mu);

// From now on no thread is stopped; those that are go on without a p. For the end of the process,
// whose last functions may wait for what stopped threads hold. Takes sched.mu.
void release_all_suspended() ROTA_EXCLUDES(sched.mu);

}  // namespace rota::rt
