// Makes a child in the caller's memory, and prepares it for execve.
//
// The child is a process of its own that shares the caller's memory until it runs the program
// (CLONE_VM), on a stack of its own. The calling thread stands still until then (CLONE_VFORK). So
// no page table is copied, and no lock is held by a thread that the child does not have. glibc's
// posix_spawn does the same. It cannot change a limit of the child, and a limit that the parent
// changes by the child's number comes too late: the program may run already.
//
// What the child may do follows from the shared memory:
// * It makes system calls itself: the C library would write the calling thread's errno, and a
//   program may have put its own functions in the place of the C library's.
// * Every signal is blocked in the caller before the clone, those of the C library (32 and 33) too,
//   so no handler runs in the child. It unblocks them when no handler is left.
// * Its functions have no instrumentation: sanitizers would take it for the calling thread, and
//   would wait for returns that never come.
//
// valgrind and qemu make a fork of it. The child's failures do not come back then: it ends with
// status 127.
//
// Rejected: fork, which copies page tables; clone3, which the filters of many containers refuse.
#include "sys/io/child.hpp"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arch/kernel_call.hpp"
#include "base/annotations.hpp"
#include "base/shortfall.hpp"
#include "sys/call/call.hpp"
#include "sys/io/limits.hpp"
#include "sys/thread/thread.hpp"

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

// A function of the child.
#if ROTA_TSAN
#define ROTA_IN_CHILD ROTA_UNSEEN_BY_TSAN
#else
#define ROTA_IN_CHILD __attribute__((no_sanitize("address"), noinline))
#endif

extern "C" long rota_clone_child(unsigned long flags, void* top, void (*start)(void*),
                                 void* argument);

namespace rota::rt {

namespace {

constexpr std::size_t stack_size = 64 * 1024;  // bytes; far more than the child's frames need
constexpr long mask_size = 8;                  // bytes of the kernel's signal sets
constexpr int first_unwanted = 3;              // descriptor

// Written by the caller before the clone.
struct child {
    const process_plan& plan;
    std::uint64_t mask;  // signals that the program begins with blocked
    long error = 0;      // written by the child: why it could not become the program
};

// A system call of the child's.
template <class... A>
ROTA_ALWAYS_INLINE long child_call(long number, A... args) {
    return kernel_call(number, kernel_argument(args)...);
}

// Signals that are ignored stay so, but for those of the C library.
ROTA_IN_CHILD void remove_handlers() {
    struct action {
        unsigned long handler, flags, restorer, mask;
    };
    constexpr int signals = 64, of_library[] = {32, 33};
    for (int s = 1; s <= signals; ++s) {
        action now;
        if (s != of_library[0] && s != of_library[1] &&
            (child_call(SYS_rt_sigaction, s, nullptr, &now, mask_size) != 0 || now.handler <= 1))
            continue;  // 0: the default action; 1: ignored
        now = {0, 0, 0, 0};
        (void)child_call(SYS_rt_sigaction, s, &now, nullptr, mask_size);
    }
}

// The number that an entry of /proc/self/fd names; -1: none.
ROTA_IN_CHILD int number_in(const char* name) {
    int number = 0;
    for (; *name != '\0'; ++name) {
        if (*name < '0' || *name > '9') return -1;
        number = number * 10 + (*name - '0');
    }
    return number;
}

// Closes what `directory`, which is /proc/self/fd, names, but for itself. -1: it cannot be read.
ROTA_IN_CHILD int close_named(int directory) {
    constexpr std::size_t size_at = 16, name_at = 19;  // in linux_dirent64
    alignas(8) char entries[1024];
    int closed = 0;
    for (;;) {
        const long n = child_call(SYS_getdents64, directory, entries, sizeof entries);
        if (n <= 0) return n < 0 ? -1 : closed;
        std::uint16_t size = 0;
        for (const char* at = entries; at < entries + n; at += size) {
            __builtin_memcpy(&size, at + size_at, sizeof size);
            const int number = number_in(at + name_at);
            if (number < first_unwanted || number == directory) continue;
            closed += child_call(SYS_close, number) != -EBADF;
        }
    }
}

// All but 0, 1 and 2. Closing moves the names that are still to be read, so they are read again
// until none is left.
ROTA_IN_CHILD long close_others(const process_plan& plan) {
    const long refused = child_call(SYS_close_range, first_unwanted, ~0U, 0);
    if (refused == 0) return 0;
    (void)child_call(SYS_close, plan.files[0]);  // so that there is a number for the directory
    const auto directory = static_cast<int>(
        child_call(SYS_openat, AT_FDCWD, "/proc/self/fd", O_RDONLY | O_DIRECTORY, 0));
    if (directory < 0) return refused;
    int closed = 0;
    do {
        closed = close_named(directory);
        (void)child_call(SYS_lseek, directory, 0, SEEK_SET);
    } while (closed > 0);
    (void)child_call(SYS_close, directory);
    return closed < 0 ? refused : 0;
}

// 0, or an errno value with its sign turned.
ROTA_IN_CHILD long prepare(const child& c) {
    const process_plan& plan = c.plan;
    remove_handlers();
    if (plan.directory != nullptr) {
        if (const long r = child_call(SYS_chdir, plan.directory); r < 0) return r;
    }
    for (int i = 0; i < first_unwanted; ++i) {
#if defined(SYS_dup2)
        const long r = child_call(SYS_dup2, plan.files[i], i);
#else
        const long r = child_call(SYS_dup3, plan.files[i], i, 0);
#endif
        if (r < 0) return r;
    }
    if (const long r = close_others(plan); r < 0) return r;
    restore_descriptor_limit();
    return child_call(SYS_rt_sigprocmask, SIG_SETMASK, &c.mask, nullptr, mask_size);
}

ROTA_IN_CHILD void become_program(void* argument) {
    child& c = *static_cast<child*>(argument);
    long r = prepare(c);
    if (r == 0) r = child_call(SYS_execve, c.plan.path, c.plan.arguments, c.plan.environment);
    c.error = r;
    for (;;) (void)child_call(SYS_exit_group, 127);
}

// The child that has failed; somebody else may wait for it as well.
void take_end(long number) {
    while (call(SYS_wait4, number, nullptr, 0, nullptr) == -EINTR) {
    }
}

}  // namespace

int child_start(const process_plan& plan, pid_t& made) {
    const long stack = call(SYS_mmap, nullptr, stack_size, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (stack < 0) return static_cast<int>(stack);
    child c{plan, 0};
    sigset_t at_boot;
    thread_signal_mask_of_boot(at_boot);
    std::memcpy(&c.mask, &at_boot, sizeof c.mask);
    const std::uint64_t all = ~std::uint64_t{0};
    std::uint64_t before = 0;
    (void)call(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, mask_size);
    const long number =
        rota_clone_child(CLONE_VM | CLONE_VFORK | SIGCHLD,
                         reinterpret_cast<char*>(stack) + stack_size, become_program, &c);
    if (number >= 0 && c.error != 0) take_end(number);
    (void)call(SYS_rt_sigprocmask, SIG_SETMASK, &before, nullptr, mask_size);
    (void)call(SYS_munmap, stack, stack_size);
    if (is_absent(number)) note_shortfall(shortfall::children, static_cast<int>(-number));
    if (number < 0) return static_cast<int>(number);
    if (c.error == 0) made = static_cast<pid_t>(number);
    return static_cast<int>(c.error);
}

}  // namespace rota::rt
