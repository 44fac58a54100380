// Door: parks goroutines and readies them. Every blocking operation is built on these functions.
//
// The protocol. The waiter makes itself findable (under a lock, in a wait list) and calls gopark
// with a commit function. Its registers are saved first; then commit runs and lets wakers in
// (releases the lock). So no waker can ready a g that is still on its stack. The waker takes the g
// out of the list, under the lock, and calls goready, once.
#pragma once

#include "base/annotations.hpp"
#include "core/m.hpp"
#include "core/status.hpp"
#include "sys/thread/lock.hpp"

namespace rota::rt {

// Puts the current g to sleep until goready. In a thread that rota did not start, the thread
// sleeps. `commit` (may be null) runs once the g can be readied; if it returns false, the g goes on
// at once. commit must not park. Caller: inside a runtime_entry, holding no runtime lock but the
// lock that commit releases. The m and the p may differ afterwards. Go: gopark.
void gopark(park_commit commit, void* arg, wait_reason why);

// The commit function that releases the lock `l`.
bool commit_unlock(g& gp, void* l);

// gopark that releases l once the g can be readied.
ROTA_ALWAYS_INLINE void gopark_unlock(lock& l, wait_reason why)
    ROTA_RELEASE(l) ROTA_NO_TSA {  // commit_unlock releases it, on another stack
    gopark(commit_unlock, &l, why);
}

// Makes a parked g runnable: next on the caller's p, or on the global queue. Caller: the waker that
// took the g out of its wait list; inside a runtime_entry or in the scheduler. After the call the g
// may be gone. Go: goready, ready.
void goready(g& gp);

// Lets other goroutines run. The g goes to the tail of its p's queue, or of the global queue if
// goroutines wait there. Caller: inside a runtime_entry. Go: Gosched.
void gosched_yield();

// Lets the other goroutines of this p run, beginning with the last one readied; the g goes to the
// tail of the p's own queue. Go: goyield.
void goyield();

// Ends the current goroutine in the middle of its function. A goroutine whose function has returned
// ends in its first frame (sched/loop/goroutine.cpp). Go: goexit1.
[[noreturn]] void goroutine_end();

}  // namespace rota::rt
