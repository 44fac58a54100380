// Inspects the threads of the process in /proc/self/task.
#include "sys/proc/threads_asleep.hpp"

#include <cstdint>
#include <cstdio>

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/annotations.hpp"
#include "sys/call/call.hpp"
#include "sys/call/number.hpp"
#include "sys/proc/thread_list.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

// The threads that ThreadSanitizer keeps for itself: one, in timed sleeps.
#if ROTA_TSAN
constexpr int helpers_of_the_build = 1;
#else
constexpr int helpers_of_the_build = 0;
#endif

bool is_thread_of_ours(unsigned long number) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/self/task/%lu", number);
    return ::access(path, F_OK) == 0;
}

// A process that shares the futex could wake a thread in a shared wait. The exception is the word
// in which the kernel notes the end of a thread, where pthread_join waits.
bool sleeps_for_ever(int tid) {
    char text[256];
    std::snprintf(text, sizeof text, "/proc/self/task/%d/syscall", tid);
    const int fd = open_to_read(text);
    if (fd < 0) return false;
    const ssize_t size = plain_read(fd, text, sizeof text - 1);
    plain_close(fd);
    if (size <= 0) return false;
    text[size] = '\0';
    // The number of the call and its arguments, or "running".
    unsigned long number = 0, address = 0, operation = 0, value = 0, limit = 1;
    if (std::sscanf(text, "%lu %lx %lx %lx %lx", &number, &address, &operation, &value, &limit) !=
            5 ||
        number != SYS_futex || limit != 0)
        return false;
    const unsigned long what = operation & FUTEX_CMD_MASK;
    if (what != FUTEX_WAIT && what != FUTEX_WAIT_BITSET) return false;
    return (operation & FUTEX_PRIVATE_FLAG) != 0 || is_thread_of_ours(value);
}

struct look {
    bool all_asleep = true;
    int threads = 0;
    std::int64_t time_spent = 0;  // on processors, by the sleeping threads
    friend bool operator==(const look&, const look&) = default;
};

look look_at_others(bool (*is_known)(int tid)) {
    look seen;
    int awake = 0;
    (void)for_each_thread([&](int tid) {
        if (is_known(tid)) return true;
        const std::int64_t spent = thread_cpu_time(tid);  // first: see below
        if (sleeps_for_ever(tid)) {
            ++seen.threads;
            seen.time_spent += spent;
        } else if (++awake > helpers_of_the_build) {
            seen.all_asleep = false;
        }
        return seen.all_asleep;
    });
    return seen;
}

}  // namespace

bool all_others_sleep_for_ever(bool (*is_known)(int tid)) {
    // Each thread sleeps at a moment of the first pass, and its clock stands still until the
    // second. So the threads sleep together at the moment between the two passes.
    const look first = look_at_others(is_known);
    return first.all_asleep && first == look_at_others(is_known);
}

}  // namespace rota::rt
