// The state that a report says of a goroutine.
//
// g_status::syscall has two meanings to the scheduler: the goroutine is inside blocking(), or it
// has lost its p where it was (sched/preempt/retake). A goroutine of the second kind computes on,
// or sits in a call of the kernel that nobody has announced. The scheduler need not know which, a
// reader does: a goroutine that computes is `running`.
#pragma once

#include "core/g.hpp"

namespace rota::rt {

struct m;

// Whether mp's goroutine has no p and its thread is awake. Asks the kernel, about 10 µs; false
// where the kernel does not answer. Any thread. Parks: never.
bool computes_without_p(const m& mp);

// What a report says of gp, which was seen in state `seen`: `running` instead of `syscall` if it
// computes. Any thread, also in a signal handler. Parks: never.
g_status told_status(const g& gp, g_status seen);

}  // namespace rota::rt
