// Parses /proc/self/task/TID, and calls rt_sigprocmask without the C library.
#include "sys/proc/thread_status.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include <sys/syscall.h>
#include <unistd.h>

#include "sys/call/call.hpp"
#include "sys/call/number.hpp"

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

// The text behind the name, or null.
const char* field(const char* status, const char* name) {
    const char* const at = std::strstr(status, name);
    return at == nullptr ? nullptr : at + std::strlen(name);
}

// Reads /proc/self/task/TID/NAME into `text`. False: it cannot be read.
bool read_about(int tid, const char* name, char (&text)[4096]) {
    std::snprintf(text, sizeof text, "/proc/self/task/%d/%s", tid, name);
    const int fd = open_to_read(text);
    if (fd < 0) return false;
    const ssize_t size = plain_read(fd, text, sizeof text - 1);
    plain_close(fd);
    if (size <= 0) return false;
    text[size] = '\0';
    return true;
}

}  // namespace

thread_ears thread_hears(int tid, int signal) {
    char text[4096];
    // if the thread has ended, the next signal finds no thread
    if (!read_about(tid, "status", text)) return thread_ears::open;
    const char* const state = field(text, "\nState:\t");
    if (state != nullptr && (*state == 'Z' || *state == 'X')) return thread_ears::ended;
    const char* const blocked = field(text, "\nSigBlk:\t");
    if (blocked == nullptr) return thread_ears::open;
    const kernel_signals mask = std::strtoull(blocked, nullptr, 16);
    if ((mask & bit_of(signal)) == 0) return thread_ears::open;
    const bool sleeps = state == nullptr || (*state != 'R' && *state != 'D');
    return sleeps ? thread_ears::deaf : thread_ears::busy;
}

namespace {

bool read_switches(int tid, std::uint64_t& sum) {
    char text[4096];
    if (!read_about(tid, "status", text)) return false;
    sum = 0;
    for (const char* const name :
         {"\nvoluntary_ctxt_switches:\t", "\nnonvoluntary_ctxt_switches:\t"}) {
        const char* const switches = field(text, name);
        if (switches == nullptr) return false;
        sum += std::strtoull(switches, nullptr, 10);
    }
    return true;
}

// The line is "running"; or the call's number, its six arguments, sp and pc; or, where the thread
// waits for a page, "-1", sp and pc.
bool read_place(int tid, std::uintptr_t& sp, std::uintptr_t& pc) {
    char text[4096];
    if (!read_about(tid, "syscall", text)) return false;
    const char* const last = std::strrchr(text, ' ');
    if (last == nullptr) return false;
    pc = std::strtoull(last, nullptr, 16);
    const char* at = last - 1;
    while (at > text && *at != ' ') --at;
    sp = std::strtoull(at, nullptr, 16);
    return sp != 0;
}

}  // namespace

bool find_sleeping(int tid, sleeping_thread& found) {
    return read_switches(tid, found.switches) && read_place(tid, found.sp, found.pc);
}

// In this order: the thread sleeps, and later its count of switches is still the same.
bool sleeps_still(int tid, const sleeping_thread& since) {
    sleeping_thread now;
    return read_place(tid, now.sp, now.pc) && now.sp == since.sp && now.pc == since.pc &&
           read_switches(tid, now.switches) && now.switches == since.switches;
}

bool is_awake_for(int tid, int signal, std::uint64_t& sleeps) {
    char text[4096];
    if (!read_about(tid, "status", text)) return false;
    const char* const state = field(text, "\nState:\t");
    const char* const blocked = field(text, "\nSigBlk:\t");
    const char* const slept = field(text, "\nvoluntary_ctxt_switches:\t");
    if (state == nullptr || *state != 'R' || blocked == nullptr || slept == nullptr) return false;
    sleeps = std::strtoull(slept, nullptr, 10);
    return (std::strtoull(blocked, nullptr, 16) & bit_of(signal)) == 0;
}

thread_state state_of_thread(int tid, std::uint64_t& sleeps) {
    char text[4096];
    if (!read_about(tid, "status", text)) return thread_state::unknown;
    const char* const state = field(text, "\nState:\t");
    const char* const slept = field(text, "\nvoluntary_ctxt_switches:\t");
    if (state == nullptr || slept == nullptr) return thread_state::unknown;
    sleeps = std::strtoull(slept, nullptr, 10);
    return *state == 'S' || *state == 'D' ? thread_state::asleep : thread_state::awake;
}

kernel_signals block_all_but_faults() { return set_signals(all_but_faults); }

kernel_signals block_all_but_memory_faults() {
    return set_signals(all_but_faults | bit_of(SIGABRT));
}

void restore_signals(kernel_signals before) { (void)set_signals(before); }

}  // namespace rota::rt
