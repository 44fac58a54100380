// The thread that makes threads.
//
// A thread inherits from its maker: the namespaces, the working directory if that is not shared,
// the processors that it may run on. A goroutine that is locked to its thread may have changed all
// of them there. So from before the first one is locked no m makes another one itself; this thread
// does, for which nobody waits. Go: templateThread.
#pragma once

#include "core/sched.hpp"

namespace rota::rt {

// Starts that thread, unless it runs. It inherits from the caller's. Caller: not inside the runtime
// (a runtime_entry): it takes locks of the C library.
void start_maker();

// Has the thread of mp, a listed and counted record, made: by the maker if there is one.
void make_thread_of(m& mp) ROTA_EXCLUDES(sched.mu);

}  // namespace rota::rt
