// Makes the futex system call. The deadline is absolute (FUTEX_WAIT_BITSET), so that a signal
// cannot stretch a sleep.
#include "sys/call/futex.hpp"

#include <cerrno>
#include <climits>
#include <ctime>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/check.hpp"

namespace rota::rt {

static_assert(sizeof(atomic<std::uint32_t>) == sizeof(std::uint32_t),
              "the kernel reads the word itself");

int futex_wait(atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t deadline) {
    sched_point(point::before_futex_wait);
    timespec until{};
    if (deadline >= 0) {
        until.tv_sec = static_cast<time_t>(deadline / 1'000'000'000);
        until.tv_nsec = static_cast<long>(deadline % 1'000'000'000);
    }
    const long r = ::syscall(SYS_futex, &word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, expected,
                             deadline >= 0 ? &until : nullptr, nullptr, FUTEX_BITSET_MATCH_ANY);
    if (r == 0) return 0;
    const int error = errno;
    ROTA_CHECK(error == EAGAIN || error == ETIMEDOUT || error == EINTR);
    return error;
}

void futex_wake(atomic<std::uint32_t>& word, int count) {
    sched_point(point::before_futex_wake);
    // The word may already be unmapped or reused by its owner: a wake-up that reaches no sleeper,
    // or one sleeper too many, is harmless.
    ::syscall(SYS_futex, &word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, count, nullptr, nullptr, 0);
}

}  // namespace rota::rt
