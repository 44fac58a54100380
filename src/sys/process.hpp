// Other programs: starting, waiting, signals.
//
// As those of sys/io.hpp: 0 or more, or an errno value with its sign turned. None retries.
#pragma once

#include <sys/types.h>

namespace rota::rt {

struct process_plan {
    const char* path;        // of the program: no directory is searched
    char* const* arguments;  // ending in null, as is environment
    char* const* environment;
    const char* directory;  // null: the caller's
    int files[3];           // what becomes 0, 1 and 2: numbers from 3 on
};

// Starts a program, which inherits no other descriptor and the signal mask of boot; signals that
// are handled here have their default action there, those that are ignored stay so. Its soft limit
// of descriptors is ours, unless a listener has raised ours: then it is the one from before
// (sys/limits). Returns when it runs, or has failed to: no child is left then. Blocks for as long
// as that takes, about 0.3 ms.
int process_start(const process_plan& plan, pid_t& made);

// A descriptor that can be polled for reading once the process has ended. -ENOSYS, -EPERM: the
// kernel has none, or a sandbox forbids it.
int process_descriptor(pid_t process);

struct process_end {
    bool has_ended = false;
    int code = 0;    // its exit status
    int signal = 0;  // what has ended it, or 0
};
// How a child has ended: of its descriptor, or else (-1) of that number. `waits`: blocks until it
// has. `takes`: its number is free from then on.
int process_wait(pid_t child, int descriptor, bool waits, bool takes, process_end& end);

// To a child: by its descriptor where it has one (or -1), which is never another process's; else by
// the number, if there is a child of that number. -ESRCH: it has gone.
int process_signal(pid_t process, int descriptor, int signal);

}  // namespace rota::rt
