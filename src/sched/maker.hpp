// The thread that makes threads.
//
// A thread inherits from its maker: the namespaces, the working directory if that is not shared,
// the processors that it may run on. A goroutine that is locked to its thread may have changed all
// of them there. And making one takes locks of the C library: malloc's, the loader's. A thread that
// is stopped in user code may hold them (sched/suspend). So from before the first goroutine is
// locked, or thread stopped, no m makes another one itself; this thread does, for which nobody
// waits. Go: templateThread.
#pragma once

#include "core/sched.hpp"

namespace rota::rt {

// Starts that thread, unless it runs. It inherits from the caller's. Caller: sysmon while no thread
// is stopped, or user code: it takes locks of the C library.
void start_maker();

// The same for sysmon, for which nothing depends on it. False: the kernel makes no thread now, or
// somebody else is at it.
[[nodiscard]] bool start_maker_if_granted();

// Has the thread of mp, a listed and counted record, made: by the maker if there is one.
//
// The kernel may refuse. A record with a p is then asked for again for a while, unless another m
// can take the p. In the end the p goes back to the idle list, its work into the global queue, if
// sysmon has taken others from their ms; otherwise the process ends. A record without a p, a spare,
// is given up at once. Either way sched.m_refused_at knows, and note_shortfall says so once.
void make_thread_of(m& mp) ROTA_EXCLUDES(sched.mu);

}  // namespace rota::rt
