// Other programs: started by sys/io/child, waited for and signalled here.
#include "sys/io/process.hpp"

#include <cerrno>
#include <csignal>

#include <sys/wait.h>

#include "sys/call/call.hpp"
#include "sys/call/fault.hpp"
#include "sys/call/number.hpp"

#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

namespace rota::rt {

int process_start(const process_plan& plan, pid_t& made) {
    if (const int error = fault_at(sys_call::spawn)) return -error;
    return child_start(plan, made);
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
