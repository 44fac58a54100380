// Makes a child in the caller's memory, and prepares it for execve.
#pragma once

#include <sys/types.h>

namespace rota::rt {

struct process_plan {
    const char* path;        // of the program; no directory is searched
    char* const* arguments;  // ending in null, as is environment
    char* const* environment;
    const char* directory;  // null: the caller's
    int files[3];           // become 0, 1 and 2; each is 3 or more
};

// Starts the plan's program. Returns when it runs, or has failed to: no child is left then. 0, or
// an errno value with its sign turned. Leaves errno alone; no cancellation point. Caller: any
// thread, on any stack; blocks.
int child_start(const process_plan& plan, pid_t& made);

}  // namespace rota::rt
