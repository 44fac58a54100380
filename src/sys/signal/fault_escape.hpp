// Lets a signal handler read memory that may not be mapped: a fault ends the call, not the process.
#pragma once

namespace rota::rt {

// Calls f(arg). False: f met a fault (SIGSEGV or SIGBUS) and was left at that instruction; or this
// thread is in such a call already; or too many threads are. So f may hold nothing that must be
// given back. Caller: blocks every signal but faults. Works while the process's handler is that of
// on_fault (sys/signal/signal.hpp). Two system calls for the mask of signals.
[[nodiscard]] bool try_call(void (*f)(void* arg), void* arg);

// For the handler of faults: leaves the try_call that this thread is in, if there is such a call.
void leave_try_call();

}  // namespace rota::rt
