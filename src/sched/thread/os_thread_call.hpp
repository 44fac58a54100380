// Door: runs a function on a kernel thread that no goroutine uses meanwhile.
//
// For code that knows only threads and tells its callers apart by them, as std::stop_source does. A
// goroutine may change its thread at each operation of rota, and another goroutine may then run on
// the former thread.
#pragma once

namespace rota::rt {

// Calls f(arg) and returns when f has returned. A thread that runs no goroutine calls f itself. For
// a goroutine a thread of the runtime calls f, one thread for each call in progress, while the p is
// free to run other goroutines. f must not throw. f uses rota as a thread of the program's own
// does: it blocks that thread, and the deadlock detector keeps silent from then on. Under
// GODEBUG=schedseed f runs in the goroutine, which then yields only where it must wait. Caller: in
// user code, as for entersyscall; the m and the p may have changed afterwards.
void call_on_os_thread(void (*f)(void*), void* arg);

}  // namespace rota::rt
