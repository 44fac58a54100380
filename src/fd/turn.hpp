// The building blocks of calls on a descriptor: a turn, the loop that waits, and the hand-off.
#pragma once

#include <cerrno>

#include "core/getg.hpp"
#include "fd/blocking_call.hpp"
#include "fd/fd.hpp"
#include "fd/poll_wait.hpp"
#include "sched/base/runtime_entry.hpp"

namespace rota::rt {

// A goroutine whose calls never have to wait yields here when it is asked to.
inline void give_way_if_asked() {
    const m* const mp = getm_or_null();
    if (mp != nullptr && ROTA_UNLIKELY(mp->preempt.load(memory_order_relaxed)))  // relaxed: advice
        const runtime_entry inside;
}

// The right to read, or to write, until the end of the call.
template <bool (fd_mutex::*take)(), bool (fd_mutex::*drop)()>
class fd::turn {
  public:
    ROTA_ALWAYS_INLINE explicit turn(fd& of)
        : of_(of), holds_((give_way_if_asked(), (of.mu_.*take)())) {}
    ROTA_ALWAYS_INLINE ~turn() {
        if (holds_ && ROTA_UNLIKELY((of_.mu_.*drop)())) of_.give_number_back();
    }
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;
    // False if the fd is closed by now: no call may begin then.
    explicit operator bool() const { return holds_ && !of_.mu_.is_closed(); }

  private:
    fd& of_;
    const bool holds_;
};

inline int fd::wait_for_room() {
    // relaxed: see set_write_stall
    const std::int64_t most = write_stall_ns_.load(memory_order_relaxed);
    return most == 0 ? poll_wait(*poll_, poll_dir::write) : wait_for_room(most);
}

// Repeats `call` until it succeeds or fails for good, and waits while it returns EAGAIN.
template <class Call>
std::int64_t fd::try_until_done(poll_dir dir, Call call) {
    for (;;) {
        const std::int64_t n = call();
        if (n == -EINTR) continue;
        if (n != -EAGAIN) return n;
        const int error = dir == poll_dir::write ? wait_for_room() : poll_wait(*poll_, dir);
        if (error != 0) return -error;
    }
}

// try_until_done; where the descriptor cannot be polled, or the open file blocks, the call blocks.
template <class Call>
std::int64_t fd::try_file(poll_dir dir, Call call) {
    for (;;) {
        std::int64_t n = 0;
        if (blocks()) {
            const blocking_call handed_off;
            do n = call();
            while (n == -EINTR);
        } else {
            n = call();
            if (n == -EINTR) continue;
        }
        if (n != -EAGAIN || poll_ == nullptr) return n;
        if (const int error = poll_wait(*poll_, dir)) return -error;
    }
}

template <class Call>
std::int64_t fd::await_read(Call call) {
    const reading turn(*this);
    if (!turn) return -error_closed;
    if (const int error = poll_check(*poll_, poll_dir::read)) return -error;
    return try_until_done(poll_dir::read, [&] { return std::int64_t{call(number_)}; });
}

template <class F>
auto fd::use_blocking(F f) -> decltype(f(0)) {
    return use([&f](int number) {
        const blocking_call handed_off;
        auto result = f(number);
        while (result == -EINTR) result = f(number);
        return result;
    });
}

}  // namespace rota::rt
