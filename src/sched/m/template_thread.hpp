// Makes the threads of ms, on a thread of its own: the template thread. Go: templateThread.
//
// A new thread inherits from the thread that makes it: the namespaces, the working directory if
// that is not shared, the processors that it may run on. A goroutine that is locked to its thread
// may have changed each of them there. And making a thread takes locks of the C library: malloc's,
// the loader's. A thread that is stopped in user code may hold them (sched/preempt/suspend). So
// from before the first goroutine is locked, or the first thread stopped, no m makes a thread
// itself. The template thread does, and no m waits for it.
#pragma once

#include "core/sched.hpp"

namespace rota::rt {

// Starts the template thread, unless it runs; it inherits from the calling thread. Takes locks of
// the C library. Caller: sysmon while no thread is stopped, or user code.
void start_template_thread();

// As start_template_thread, for sysmon, which can do without the template thread. False: the kernel
// makes no thread now, or another thread is starting the template thread.
[[nodiscard]] bool start_template_thread_if_granted();

// Makes the thread of mp, a listed and counted record: through the template thread if that runs,
// otherwise on the calling thread.
//
// The kernel may refuse. Then a thread for a record with a p is asked for again for a while, unless
// another m can take the p. In the end, if sysmon has taken ps from other ms, the p goes back to
// the idle list and its work into the global queue; otherwise the process ends. A record without a
// p, a standby m, is given up at once. Either way sched.m_refused_at holds the time of the refusal,
// and note_shortfall reports it once.
void make_thread_of(m& mp) ROTA_EXCLUDES(sched.mu);

}  // namespace rota::rt
