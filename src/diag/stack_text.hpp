// Traces as text, for the program that asks.
#pragma once

#include <string>

namespace rota::rt {

// The trace of the calling goroutine or thread, with `all` of every other goroutine too. May
// allocate; any thread, not in a signal handler. Go: runtime.Stack.
std::string stack_text(bool all);

}  // namespace rota::rt
