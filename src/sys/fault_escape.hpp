// Reading, in a signal handler, what may not be there: calls that a fault ends, not the process.
#pragma once

namespace rota::rt {

// Calls f(arg). False: that met a fault (SIGSEGV or SIGBUS) and was left there and then, so f may
// hold nothing that must be given back; or this thread is in such a call already, or too many are.
// Caller: holds back all signals but faults. Works while the handler
// of on_fault (sys/signal.hpp) is the process's. Two system calls for the mask of signals.
[[nodiscard]] bool try_call(void (*f)(void* arg), void* arg);

// For the handler of faults: leaves the try_call that this thread is in, if it is in one.
void leave_try_call();

}  // namespace rota::rt
