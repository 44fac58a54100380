// Starts other programs, waits for their end, and sends signals to them.
//
// Results as in sys/io/io.hpp: 0 or more, or a negative errno value. No function here retries.
#pragma once

#include <sys/types.h>

#include "sys/io/child.hpp"

namespace rota::rt {

// Starts a program. It inherits no other descriptor, and gets the signal mask of boot. Signals that
// this process handles have their default action there; ignored signals stay ignored. Its soft
// limit of descriptors is ours, unless a listener has raised ours: then it is the earlier limit
// (sys/io/limits). Returns when the program runs, or has failed to start: then no child is left.
// Blocks for that time, about 0.3 ms.
int process_start(const process_plan& plan, pid_t& made);

// Returns a descriptor that can be polled for reading once the process has ended. -ENOSYS, -EPERM:
// the kernel has no such descriptors, or a sandbox forbids them.
int process_descriptor(pid_t process);

struct process_end {
    bool has_ended = false;
    int code = 0;    // its exit status
    int signal = 0;  // the signal that ended it, or 0
};
// Tells how a child ended, by its descriptor, or by its number if the descriptor is -1. `waits`:
// blocks until the child has ended. `takes`: frees the number.
int process_wait(pid_t child, int descriptor, bool waits, bool takes, process_end& end);

// Sends a signal to a child: by its descriptor (or -1), which never means another process; else by
// the number, if a child has that number. -ESRCH: the child has gone.
int process_signal(pid_t process, int descriptor, int signal);

}  // namespace rota::rt
