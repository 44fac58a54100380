// Builds goroutine traces as text, for the program.
#pragma once

#include <string>

namespace rota::rt {

// The trace of the calling goroutine or thread, with `all` of every other goroutine too. In user
// code, on any thread, not in a signal handler; with `all` it parks while a search for unreachable
// goroutines is under way (diag/stack/reading_stacks). Inside the runtime, where the work is done,
// nothing is allocated: a thread that holds malloc's lock may be stopped (sched/preempt/suspend),
// and would be waited for with a p in hand. Go: runtime.Stack.
std::string stack_text(bool all);

}  // namespace rota::rt
