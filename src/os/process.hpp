// process: a child, until it has been waited for.
//
// Where the kernel has descriptors of processes, who waits parks in the poller; elsewhere, or where
// there is no free descriptor, a system call waits, handed off. The number is the child's until its
// end has been taken from the kernel: that happens under the lock which kill takes, and by the last
// of those whose system call waits for that number, so neither ever means another process that has
// got the number since.
//
// Others can take the end: the program by a waitpid of its own, the kernel at once where SIGCHLD is
// ignored. A descriptor stays the child's then. Without one, kill looks whether there is still a
// child of that number just before it uses it, and the wait ends with ECHILD.
#pragma once

#include <memory>

#include <rota/os/command.hpp>
#include <rota/sync/mutex.hpp>

#include "fd/fd.hpp"
#include "sys/process.hpp"

namespace rota::os {

class process {
  public:
    // The plan's program, running; null and an error value otherwise. Blocks while it is loaded.
    static std::shared_ptr<process> start(const rt::process_plan& plan, int& error);

    process() = default;
    ~process();
    process(const process&) = delete;
    process& operator=(const process&) = delete;

    pid_t pid() const { return pid_; }
    // 0, or an error value with its sign turned. Blocks; any number at once.
    int wait(exit_status& status);
    int signal(int signal);
    // Whether it has ended; then it is waited for as well. Does not block.
    bool is_done() { return reap() != -EAGAIN; }

  private:
    int reap();
    int wait_by_number();
    int note_end(int result, const rt::process_end& end);  // mu_ is held

    // --- fixed once it runs ----------------------------------------------------------------
    pid_t pid_ = -1;
    rt::fd* end_ = nullptr;  // can be read from once it has ended; null: there is none

    // --- guarded by mu_ ----------------------------------------------------------------
    mutex mu_;
    bool done_ = false;  // how it has ended is known
    int inside_ = 0;     // system calls that wait for the number
    int lost_ = 0;       // why nobody will know how it has ended, with its sign turned
    exit_status status_;
};

}  // namespace rota::os
