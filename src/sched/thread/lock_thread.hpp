// Door: locks a goroutine to its thread. Go: LockOSThread, stoplockedm, startlockedm.
//
// For code that knows its thread: a library with thread-local state, a system call that changes the
// calling thread alone, a window system that serves the main thread only. The m runs no other
// goroutine, and the goroutine runs on no other m, until it has unlocked as often as it has locked.
//
//     the goroutine parks      its m, on g0: gives its p away (wait_for_locked_g) and sleeps
//     it is readied            it is queued like any goroutine. The m that takes it from the queue
//                              gives its own p to the locked m (hand_to_locked_m). If the locked m
//                              is still on its way to sleep, the taker only sets locked_ready: the
//                              locked m keeps its p, or takes an idle p
//     it ends                  its m and its thread end too: what the goroutine has done to the
//                              thread is not known. A thread inside run() sleeps until run()
//                              returns
//
// Each locked goroutine adds blockers_per_lock to sched.direct_switch_blockers: the direct switch
// looks for locked goroutines only while there are any. The thread of a run() runs only its main
// goroutine (sched/thread/main_thread), which goes back to that thread before it locks itself. From
// then on sched/m/template_thread makes new threads.
//
// A pin (rota::runtime::pin) is the lazy form. Its scope costs the goroutine a counter. Only when a
// pinned goroutine leaves its m does that m lock itself to it: by before_leaving on the goroutine's
// own stack, before any waker can find it. When the goroutine is to go on, its m unlocks the two
// again, in wait_for_locked_g. So a pinned goroutine that runs counts nowhere as locked. A main
// goroutine is pinned to the thread on which it runs, which need not be the thread of its run().
#pragma once

#include "base/annotations.hpp"
#include "core/sched.hpp"
#include "sched/base/leaving.hpp"

namespace rota::rt {

// lock_thread locks the current goroutine, or counts a further lock; unlock_thread undoes the last.
// In a thread of the program's own, and in a repeatable run, which has a single thread (seeded),
// neither does anything. Caller: inside a runtime_entry, after start_template_thread; lock_thread
// may change the m and the p.
void lock_thread();
void unlock_thread();

// Begins and ends a pin of the current goroutine gp; pins nest. Caller: gp in user code, after
// start_template_thread. Parks: never.
void pin_begin(g& gp);
void pin_end(g& gp);

// Whether the current goroutine is a main goroutine that is pinned to a thread different from that
// of its run(): to be locked, it would have to go to the latter.
[[nodiscard]] bool is_pinned_away();

// Ends the process: the current goroutine gp ends although it is pinned, an error of the program.
[[noreturn]] ROTA_COLD void ended_pinned(const g& gp);

// Waits until the goroutine that is locked to self can go on here, and returns it; self then has a
// p. Null: the run() of this thread is over, or the thread is to end. Caller: self, on g0. Go:
// stoplockedm.
[[nodiscard]] g* wait_for_locked_g(m& self) ROTA_EXCLUDES(sched.mu);

// Passes gp, runnable and locked, which self has taken out of a queue, on to its m, perhaps with
// self's p. False: self is that m. Go: startlockedm.
[[nodiscard]] bool hand_to_locked_m(m& self, g& gp) ROTA_EXCLUDES(sched.mu);

// Locks self to its own g0: gp, locked to self, has ended, and is about to be given away for reuse.
void locked_g_ended(m& self, g& gp);

// Unlocks self, which leaves run(): the goroutine that was locked to it is gone.
void leave_locked_thread(m& self);

}  // namespace rota::rt
