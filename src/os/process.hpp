// process: starts a child program, signals it, and waits for its end.
//
// Where the kernel has process descriptors, a waiter parks in the poller. Elsewhere, or without a
// free descriptor, a system call waits, with the p handed off. The process number stays the child's
// until its end is taken from the kernel (reaped). Reaping runs under the lock that kill takes, and
// the last thread that waits for the number in a system call does it. So neither kill nor a wait
// ever reaches another process that has received the number since.
//
// The program can reap the child by a waitpid of its own, and the kernel does it at once where
// SIGCHLD is ignored. A descriptor stays the child's then. Without a descriptor, kill checks for a
// child of that number just before it uses the number, and the wait ends with ECHILD.
#pragma once

#include <memory>

#include <rota/os/command.hpp>
#include <rota/sync/mutex.hpp>

#include "fd/fd.hpp"
#include "sys/io/process.hpp"

namespace rota::os {

class process {
  public:
    // The plan's program, running; null and an errno value otherwise. Blocks while it is loaded.
    static std::shared_ptr<process> start(const rt::process_plan& plan, int& error);

    process() = default;
    ~process();
    process(const process&) = delete;
    process& operator=(const process&) = delete;

    pid_t pid() const { return pid_; }
    // 0, or a negative errno value. Blocks; any number of callers at once.
    int wait(exit_status& status);
    int signal(int signal);
    // Whether the child has ended; if so, it is reaped. Does not block.
    bool is_done() { return reap() != -EAGAIN; }

  private:
    int reap();
    int wait_by_number();
    int note_end(int result, const rt::process_end& end);  // mu_ is held

    // --- fixed once it runs ----------------------------------------------------------------
    pid_t pid_ = -1;
    rt::fd* end_ = nullptr;  // readable once the child has ended; null: there is no descriptor

    // --- guarded by mu_ ----------------------------------------------------------------
    mutex mu_;
    bool done_ = false;  // status_ or lost_ is set
    int inside_ = 0;     // count; threads in a system call that waits for the number
    int lost_ = 0;       // negative errno value: why status_ will never be known; 0: no such error
    exit_status status_;
};

}  // namespace rota::os
