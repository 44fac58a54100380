// Door: running something on a kernel thread that no goroutine uses meanwhile.
//
// For code that knows threads only and tells its callers apart by them, as std::stop_source does: a
// goroutine may be on another thread after each operation of rota, and another goroutine on its
// own.
#pragma once

namespace rota::rt {

// Calls f(arg) and returns when it has. A thread that runs no goroutine calls it itself; for a
// goroutine a thread of the runtime's own does, one for each call under way, while the p is free
// for others. f must not throw. What it does with rota it does as a thread of the program's own
// would: it blocks that thread, and the deadlock detector keeps silent from then on. Under
// GODEBUG=schedseed f runs in the goroutine, which then yields only where it must wait. Caller: in
// user code, as for entersyscall; the m and the p may be others afterwards.
void run_on_own_thread(void (*f)(void*), void* arg);

}  // namespace rota::rt
