// Makes a child in the caller's memory, and prepares it for execve.
#pragma once

#include <sys/types.h>

#include "sys/io/process.hpp"

namespace rota::rt {

// Starts the plan's program. Returns when it runs, or has failed to: no child is left then. 0, or
// an errno value with its sign turned. Leaves errno alone; no cancellation point. Caller: any
// thread, on any stack; blocks.
int child_start(const process_plan& plan, pid_t& made);

}  // namespace rota::rt
