// Makes a fence on the thread of an m, from outside, where the kernel offers no fence for every
// thread (membarrier).
//
// sched/preempt/retake stores a request into a word of an m. Then it must know that either the m's
// thread sees the request before it enters the runtime again, or the m's mark that it has entered
// is visible. The m itself has no fence between its mark and its look. The taker gets a fence on
// the m's thread alone:
//
//     the thread        how the taker knows                    the fence
//     has no processor  its clock stands still, see below.     the kernel's, at the switch away
//                                                              from the thread, and at the switch
//                                                              back.
//     runs              it answers a signal in its handler.    the answer: the m's actions before
//                                                              the handler happen before it, its
//                                                              later ones come after the request.
//                                                              No instruction is needed
//
// The clock of a running thread moves on. If it shows the same for 50 µs, then for a part of that
// time the thread had no processor, or an interrupt or the hypervisor had it. That holds where the
// clock moves in small steps; a few tries tell that for the process. Where it does not (gVisor,
// machines without a steady counter) the kernel must say that the thread sleeps. The kernel marked
// it so in the thread's own call, and no store of the thread is held back for 50 µs after that.
//
// A thread that sleeps gets no signal: its call would end with EINTR. A thread that has no
// processor for longer than the taker waits keeps its p until the next try.
//
// Rejected: the handler gives the p away itself. Then the handler would choose the next m, with the
// lock of the scheduler, and sysmon could not lend the p, or keep an m ready before it takes a p.
#pragma once

#include "core/m.hpp"

namespace rota::rt {

// True: at a moment of this call the fence ran. Stores of mp's thread before that moment are
// visible to the caller, and its loads after it see the caller's stores from before the call.
// False: not known; nothing is changed. Takes up to 1 ms. One caller at a time
// (sched/preempt/retake's lock).
[[nodiscard]] bool fence_thread(m& mp);

// Answers a fence request. Caller: the handler of the stop signal, on mp's own thread.
inline void answer_fence(m& mp) {
    const std::uint32_t asked = mp.fence_asked.load(memory_order_acquire);  // pairs(entry.fence)
    // relaxed: written by this thread
    if (mp.fence_done.load(memory_order_relaxed) == asked) return;
    mp.fence_done.store(asked, memory_order_release);  // pairs(entry.fence)
}

}  // namespace rota::rt
