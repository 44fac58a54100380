// posix_spawn makes the child in our memory, on a stack of its own and with every signal held back:
// no handler of the runtime runs in it, and nothing is copied. A fork would copy page tables, and
// leave the child with locks that nobody unlocks.
#include "sys/process.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <spawn.h>
#include <sys/wait.h>

#include "sys/call.hpp"
#include "sys/fault.hpp"
#include "sys/number.hpp"
#include "sys/thread.hpp"

#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

#if !defined(__GLIBC_PREREQ)
#error "rota starts processes by glibc's posix_spawn"
#elif !__GLIBC_PREREQ(2, 34)
#error "rota needs posix_spawn_file_actions_addclosefrom_np, which came with glibc 2.34"
#endif

namespace rota::rt {

namespace {

// What the child does before it becomes the program.
class actions {
  public:
    actions() {
        ::posix_spawn_file_actions_init(&of_files_);
        ::posix_spawnattr_init(&attributes_);
    }
    ~actions() {
        ::posix_spawn_file_actions_destroy(&of_files_);
        ::posix_spawnattr_destroy(&attributes_);
    }
    actions(const actions&) = delete;
    actions& operator=(const actions&) = delete;

    // 0 or an errno value: there is no memory.
    int set(const process_plan& plan) {
        int error = 0;
        if (plan.directory != nullptr)
            error = ::posix_spawn_file_actions_addchdir_np(&of_files_, plan.directory);
        for (int i = 0; i < 3 && error == 0; ++i)
            error = ::posix_spawn_file_actions_adddup2(&of_files_, plan.files[i], i);
        if (error == 0) error = ::posix_spawn_file_actions_addclosefrom_np(&of_files_, 3);
        if (error != 0) return error;
        sigset_t mask;
        thread_signal_mask_of_boot(mask);
        ::posix_spawnattr_setsigmask(&attributes_, &mask);
        set_actions_of_library();
        return ::posix_spawnattr_setflags(&attributes_,
                                          POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }

    int start(const process_plan& plan, pid_t& made) const {
        return ::posix_spawn(&made, plan.path, &of_files_, &attributes_, plan.arguments,
                             plan.environment);
    }

  private:
    // The two signals that the C library keeps for itself would be ignored in the program, unless
    // they are to have their default action; sigaddset refuses them.
    void set_actions_of_library() {
        sigset_t defaults;
        ::sigemptyset(&defaults);
        const unsigned long both = 3UL << 31;  // 32 and 33
        std::memcpy(&defaults, &both, sizeof both);
        ::posix_spawnattr_setsigdefault(&attributes_, &defaults);
    }

    posix_spawn_file_actions_t of_files_;
    posix_spawnattr_t attributes_;
};

}  // namespace

int process_start(const process_plan& plan, pid_t& made) {
    if (const int error = fault_at(sys_call::spawn)) return -error;
    actions todo;
    if (const int error = todo.set(plan)) return -error;
    return -todo.start(plan, made);
}

int process_descriptor(pid_t process) {
    if (const int error = fault_at(sys_call::pidfd)) return -error;
    return above_standard(call_int(SYS_pidfd_open, process, 0));
}

int process_wait(pid_t child, int descriptor, bool waits, bool takes, process_end& end) {
    if (const int error = fault_at(sys_call::process)) return -error;
    constexpr int by_descriptor = 3;  // P_PIDFD, which Linux has since 5.4
    siginfo_t info{};
    const int options = WEXITED | (waits ? 0 : WNOHANG) | (takes ? 0 : WNOWAIT);
    int r = -EINVAL;
    if (descriptor >= 0)
        r = call_int(SYS_waitid, by_descriptor, descriptor, &info, options, nullptr);
    if (r == -EINVAL) r = call_int(SYS_waitid, P_PID, child, &info, options, nullptr);
    if (r < 0) return r;
    end.has_ended = info.si_pid != 0;
    const bool by_itself = info.si_code == CLD_EXITED;
    end.code = by_itself ? info.si_status : 0;
    end.signal = by_itself ? 0 : info.si_status;
    return 0;
}

int process_signal(pid_t process, int descriptor, int signal) {
    if (const int error = fault_at(sys_call::process)) return -error;
    if (descriptor >= 0) {
        const int r = call_int(SYS_pidfd_send_signal, descriptor, signal, nullptr, 0);
        if (!is_absent(r)) return r;
    }
    // Somebody else may have waited for it, and the number be another's.
    process_end end;
    if (const int r = process_wait(process, descriptor, false, false, end); r < 0)
        return r == -ECHILD ? -ESRCH : r;
    return call_int(SYS_kill, process, signal);
}

}  // namespace rota::rt
