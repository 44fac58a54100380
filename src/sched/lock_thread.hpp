// Door: goroutines that are locked to their thread.
//
// For code that knows its thread: a library with thread-local state, a system call that changes the
// thread alone, a window system that serves the main thread only. The m runs no other goroutine,
// and the goroutine on no other m, until it has unlocked as often as it has locked.
//
//     the goroutine parks      its m, on g0: gives its p away (wait_for_locked_g) and sleeps
//     it is readied            is queued like any other; whoever takes it from the queue gives its
//                              own p to the m (hand_to_locked_m), or, if that is still on its way
//                              to sleep, leaves word in locked_ready, and it keeps its p
//     it ends                  its m ends as well, and its thread with it: nobody knows what the
//                              goroutine has done to it. A thread inside run() sleeps until run()
//                              returns
//
// The direct switch looks for locked ones only while there are some: each adds through_g0_lock to
// sched.through_g0. On the thread of a run() none but its main goroutine runs (sched/home), which
// goes home to it before it locks itself, wherever it is. New threads are made by sched/maker from
// then on. Go: LockOSThread, stoplockedm, startlockedm.
//
// A pin (rota::runtime::pin) is the lazy form. Its scope costs the goroutine a counter. Only when a
// pinned goroutine leaves its m does that m lock itself to it, by before_leaving on the goroutine's
// own stack, before any waker can find it. When it is to go on, its m unlocks the two again, in
// wait_for_locked_g. So a pinned goroutine that runs counts nowhere as locked. A main goroutine is
// pinned to the thread on which it stands, which need not be that of its run().
#pragma once

#include "base/annotations.hpp"
#include "core/sched.hpp"

namespace rota::rt {

// Locks the current goroutine, or counts one more time; undoes one of them. In a thread of the
// program's own, and where one thread runs all (seeded), both do nothing. Caller: inside a
// runtime_entry, after start_maker; the m and the p are others after the first.
void lock_thread();
void unlock_thread();

// Begins and ends a pin of the current goroutine gp; pins nest. Caller: gp in user code, after
// start_maker. Parks: never.
void pin_begin(g& gp);
void pin_end(g& gp);

// Whether the current goroutine is a main one that is pinned to another thread than that of its
// run(), where it would have to go to be locked.
[[nodiscard]] bool is_pinned_away();

// gp is about to leave self: locks the two together if gp is pinned. If it is not, and parks are
// checked, looks whether it may leave (sched/park_check). Caller: on gp's stack, inside the
// runtime, before gp can be readied. Parks: never.
ROTA_COLD void leave_with_care(m& self, g& gp);
ROTA_ALWAYS_INLINE void before_leaving(m& self, g& gp) {
    if (ROTA_UNLIKELY(gp.leaves_with_care)) leave_with_care(self, gp);
}

// The current goroutine gp ends although it is pinned: a fatal error of the program.
[[noreturn]] ROTA_COLD void ended_pinned(const g& gp);

// The m of a locked goroutine, on g0: waits until that can go on here, and returns it, with a p.
// Null: the run() of this thread is over, or the thread is to end. Go: stoplockedm.
[[nodiscard]] g* wait_for_locked_g(m& self) ROTA_EXCLUDES(sched.mu);

// gp, runnable and locked, has been taken out of a queue by self: passes it on to its m, perhaps
// with self's p. False: self is that m. Go: startlockedm.
[[nodiscard]] bool hand_to_locked_m(m& self, g& gp) ROTA_EXCLUDES(sched.mu);

// gp, locked to self, has ended, and is about to be given away for reuse: from here on self is
// locked to its own g0.
void locked_g_ended(m& self, g& gp);

// A thread leaves run(): what was locked to it is gone.
void leave_locked_thread(m& self);

}  // namespace rota::rt
