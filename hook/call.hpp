// One call of a hooked function: it finds out its caller, waits, and is counted and traced.
//
//     caller                                        | the call
//     a thread, the runtime, a blocking section     | the C library's function
//     a goroutine that keeps its thread             | that function, in a blocking section
//     another goroutine                             | park(call), which waits by the runtime
//
// Inside, results are the kernel's: 0 or more, or a negative errno value. finish() turns a result
// into the C library's, on the thread on which the goroutine runs then. A call that succeeds leaves
// errno as it was.
#pragma once

#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>

#include <fcntl.h>

#include "hook/protocol.hpp"
#include "real.hpp"
#include "sys/call/call.hpp"

namespace rota::hook {

using rt::hook_caller;
using rt::hook_no_deadline;
using rt::hook_runtime;

// The runtime to which the calling thread belongs now, and the kind of caller that it names.
struct calling {
    const hook_runtime* runtime = nullptr;
    hook_caller caller = hook_caller::other;
};
calling find_caller();

// What some runtime wants of mutexes and conditions, as bits; behind it each is asked.
inline constexpr unsigned takes_locks_bit = 1;    // GODEBUG=hook=locks
inline constexpr unsigned notes_mutexes_bit = 2;  // GODEBUG=parkcheck=1
unsigned wanted_of_locks();

// Tells all runtimes that note mutexes.
void tell_locked(const void* mutex, const void* locked_at, bool knows_owner);
void tell_unlocked(const void* mutex);

// Reports a call that closes descriptors to all runtimes. It is constructed before the call; tell()
// follows the call.
inline constexpr std::size_t runtimes_max = 8;
class closing {
  public:
    closing();
    void tell(unsigned first, unsigned last) const { tell(first, last, true); }
    // For a call that has perhaps closed nothing: the waiters look again.
    void look_again(unsigned first, unsigned last) const { tell(first, last, false); }

  private:
    void tell(unsigned first, unsigned last, bool is_closed) const;

    std::uint64_t close_[runtimes_max] = {};  // the number of each runtime
};

class call {
  public:
    explicit call(hooked which) : which_(which), by_(find_caller()) {
        if (!is_straight()) begin();
    }
    call(const call&) = delete;
    call& operator=(const call&) = delete;

    bool is_straight() const { return by_.caller == hook_caller::other; }
    bool keeps_thread() const { return by_.caller == hook_caller::blocks; }
    const hook_runtime& runtime() const { return *by_.runtime; }
    std::int64_t now() const { return by_.runtime->now(); }

    // Waits for the descriptors: 0, ETIMEDOUT, or EBADF (fds[closed] was closed). If the runtime
    // cannot wait, for lack of descriptors or memory, the thread waits, in a blocking section.
    int wait(pollfd* fds, std::size_t count, std::int64_t deadline, std::size_t& closed) {
        return wait(fds, count, deadline, false, closed);
    }
    // The same for one descriptor. A call that takes bytes or a connection takes turns with the
    // other such calls for the file: an event wakes one of them.
    int wait(int fd, short events, std::int64_t deadline) {
        pollfd one{fd, events, 0};
        std::size_t closed = 0;
        return wait(&one, 1, deadline, events == POLLIN, closed);
    }
    // Lets the next call for that file have its turn. Before a blocking section in which the call
    // waits for more than the file's readiness; otherwise finish() does it.
    void pass_turn();
    void sleep_until(std::int64_t when);

    // f(), which makes the call by the C library's function, in a blocking section.
    template <class F>
    long block(F f) {
        note_block();
        by_.runtime->enter_blocking();
        const long n = static_cast<long>(f());
        const int error = n < 0 ? get_errno() : 0;
        by_.runtime->leave_blocking();
        return n < 0 ? -static_cast<long>(error) : n;
    }

    // f() as it is: it does not block, or for a disk at most.
    template <class F>
    long leave(F f) {
        const long n = static_cast<long>(f());
        return n < 0 ? -static_cast<long>(get_errno()) : n;
    }

    long finish(long result);
    // The same for functions that return an errno value, or a code of their own.
    int finish_with_code(int code);

  private:
    int wait(pollfd* fds, std::size_t count, std::int64_t deadline, bool in_turn,
             std::size_t& closed);
    void begin();
    void note_block();
    std::int64_t begin_park(int fd);
    void end_park(std::int64_t began);
    void tell(long result) const;

    hooked which_;
    calling by_;
    int errno_before_ = 0;
    int waited_for_ = -1;  // the descriptor, in traces
    int turn_at_ = -1;     // the descriptor of the last wait in turn; -1: no turn need be passed
    bool has_parked_ = false;
    bool has_blocked_ = false;
    std::int64_t parked_ns_ = 0;
};

// --- questions about descriptors
// -------------------------------------------------------------------

inline bool is_nonblocking(int fd) {
    const int flags = rt::call_int(SYS_fcntl, fd, F_GETFL);
    return flags < 0 || (flags & O_NONBLOCK) != 0;
}

// question() asks the kernel without waiting. A signal may interrupt even that: then the kernel has
// not answered, and is asked again.
template <class F>
long answer_of(F question) {
    long answer = -EINTR;
    while (answer == -EINTR) answer = question();
    return answer;
}

// How many of the descriptors are ready now; 0: none.
inline int poll_now(pollfd* fds, nfds_t count) {
    constexpr timespec at_once{};
    return static_cast<int>(
        answer_of([&] { return rt::call(SYS_ppoll, fds, count, &at_once, nullptr, 8UL); }));
}
inline int poll_now(int fd, short events) {
    pollfd one{fd, events, 0};
    return poll_now(&one, 1);
}

// The moment at which a call on that socket fails with EAGAIN (SO_RCVTIMEO, SO_SNDTIMEO).
std::int64_t deadline_of(const call& c, int fd, int option);

inline constexpr std::int64_t second = 1'000'000'000;
inline std::int64_t later(std::int64_t now, std::int64_t ns) {
    return now > hook_no_deadline - ns ? hook_no_deadline : now + ns;
}

// --- parts of calls
// ------------------------------------------------------------------------

// real() is the C library's function. `plain`: the call is left to it for every caller.
template <class Real, class Park>
auto make(hooked which, bool plain, Real real, Park park) -> decltype(real()) {
    if (plain) return real();
    call c(which);
    if (c.is_straight()) return real();
    return static_cast<decltype(real())>(c.finish(c.keeps_thread() ? c.block(real) : park(c)));
}

// real() in a blocking section, for functions that return an errno value, or a code of their own.
template <class Real>
int in_blocking_section_with_code(hooked which, Real real) {
    call c(which);
    if (c.is_straight()) return real();
    int code = 0, errno_then = 0;
    (void)c.block([&] {
        code = real();
        errno_then = get_errno();
        return 0;
    });
    (void)c.finish_with_code(code);
    if (which == hooked::getaddrinfo && code == EAI_SYSTEM) set_errno(errno_then);
    return code;
}

// After that many wakes without a result a call is made in a blocking section.
inline constexpr int vain_wakes_max = 16;

// A result of the kernel as the C library's functions return it: for call::block.
inline long failed(long r) {
    if (r >= 0) return r;
    set_errno(static_cast<int>(-r));
    return -1;
}

// attempt(false) does not block; it is repeated while it returns -EAGAIN. In some cases poll
// reports a descriptor as ready, and the attempt fails all the same: an unconnected datagram socket
// with a receiver that has a full queue; an error queue that is not empty. A goroutine would then
// repeat it without end. So after some such wakes it makes attempt(true), which may block, in a
// blocking section. That attempt may wait for another event than the other calls for the file do,
// so the goroutine passes the turn before it. time_option: the socket option that bounds the wait.
template <class F>
long until_done(call& c, int fd, short events, int time_option, F attempt) {
    std::int64_t deadline = 0;
    int vain = 0;
    for (bool first = true;; first = false) {
        const long n = attempt(false);
        if (n != -EAGAIN) return n;
        if (first) {
            if (is_nonblocking(fd)) return -EAGAIN;
            deadline = deadline_of(c, fd, time_option);
        } else if (poll_now(fd, events) != 0 && ++vain == vain_wakes_max) {
            c.pass_turn();
            return c.block([&] { return failed(attempt(true)); });
        }
        const int error = c.wait(fd, events, deadline);
        if (error != 0) return error == ETIMEDOUT ? -EAGAIN : -error;
    }
}

// For a call that the kernel offers only as a blocking one. When the descriptor is ready, the
// goroutine makes the call in a blocking section, since another thread or process may be quicker.
// The goroutine passes the turn after the call, so at most one thread blocks for a file.
// time_option: the socket option that bounds the wait; 0: no option does.
template <class F>
long when_ready(call& c, int fd, short events, int time_option, F blocking) {
    std::int64_t deadline = hook_no_deadline;
    for (bool first = true; poll_now(fd, events) == 0; first = false) {
        if (first) {
            if (is_nonblocking(fd)) break;
            if (time_option != 0) deadline = deadline_of(c, fd, time_option);
        }
        const int error = c.wait(fd, events, deadline);
        if (error != 0) return error == ETIMEDOUT ? -EAGAIN : -error;
    }
    return c.block(blocking);
}

}  // namespace rota::hook
