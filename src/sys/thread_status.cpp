// /proc/self/task/TID/status, and rt_sigprocmask without the C library.
#include "sys/thread_status.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace rota::rt {

namespace {

constexpr kernel_signals bit_of(int signal) { return kernel_signals{1} << (signal - 1); }

constexpr kernel_signals all_but_faults = ~(bit_of(SIGSEGV) | bit_of(SIGBUS) | bit_of(SIGFPE) |
                                            bit_of(SIGILL) | bit_of(SIGTRAP) | bit_of(SIGABRT));

kernel_signals set_signals(kernel_signals now) {
    kernel_signals before = 0;
    (void)::syscall(SYS_rt_sigprocmask, SIG_SETMASK, &now, &before, sizeof now);
    return before;
}

// What follows the name, or null.
const char* field(const char* status, const char* name) {
    const char* const at = std::strstr(status, name);
    return at == nullptr ? nullptr : at + std::strlen(name);
}

}  // namespace

thread_ears thread_hears(int tid, int signal) {
    char text[4096];
    std::snprintf(text, sizeof text, "/proc/self/task/%d/status", tid);
    const int fd = ::open(text, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return thread_ears::open;  // if it has ended, the next signal finds nobody
    const ssize_t size = ::read(fd, text, sizeof text - 1);
    ::close(fd);
    if (size <= 0) return thread_ears::open;
    text[size] = '\0';
    const char* const state = field(text, "\nState:\t");
    if (state != nullptr && (*state == 'Z' || *state == 'X')) return thread_ears::ended;
    const char* const blocked = field(text, "\nSigBlk:\t");
    if (blocked == nullptr) return thread_ears::open;
    const kernel_signals mask = std::strtoull(blocked, nullptr, 16);
    if ((mask & bit_of(signal)) == 0) return thread_ears::open;
    const bool sleeps = state == nullptr || (*state != 'R' && *state != 'D');
    return sleeps ? thread_ears::deaf : thread_ears::busy;
}

kernel_signals block_all_but_faults() { return set_signals(all_but_faults); }

void restore_signals(kernel_signals before) { (void)set_signals(before); }

}  // namespace rota::rt
