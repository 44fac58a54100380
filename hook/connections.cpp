// Hooks the calls that make connections: connect, accept and accept4.
//
// connect has no flag for a single call. The socket, which is connected to nothing yet, has
// O_NONBLOCK for the time of the call, some microseconds; then its flags are as before.
//
// A Unix socket waits for room in its listener's queue. The kernel reports that room to no poll, so
// the goroutine sleeps and tries again: after 50 us at first, then after twice that, up to 10 ms.
// Rejected: the call in a blocking section. A thousand clients that connect at once to a listener
// with a queue of 128 would need some nine hundred threads.
#include "call.hpp"
#include "export.hpp"

namespace rota::hook {

namespace {

bool is_internet(const sockaddr* to, socklen_t size) {
    return to != nullptr && size >= sizeof(sa_family_t) &&
           (to->sa_family == AF_INET || to->sa_family == AF_INET6);
}

// The call, on a socket that does not block meanwhile. 0 or more, or an error.
long begin_to_connect(int fd, int flags, const sockaddr* to, socklen_t size) {
    if (rt::call(SYS_fcntl, fd, F_SETFL, flags | O_NONBLOCK) < 0) return -EINVAL;
    const long r = ROTA_REAL(connect)(fd, to, size);
    const int error = r < 0 ? get_errno() : 0;
    (void)rt::call(SYS_fcntl, fd, F_SETFL, flags);
    return r < 0 ? -static_cast<long>(error) : r;
}

long await_connection(call& c, int fd) {
    const std::int64_t deadline = deadline_of(c, fd, SO_SNDTIMEO);
    while (poll_now(fd, POLLOUT) == 0) {
        const int error = c.wait(fd, POLLOUT, deadline);
        if (error != 0) return error == ETIMEDOUT ? -EINPROGRESS : -error;
    }
    int outcome = 0;
    socklen_t size = sizeof outcome;
    const long asked = rt::call(SYS_getsockopt, fd, SOL_SOCKET, SO_ERROR, &outcome, &size);
    return asked < 0 ? asked : -outcome;
}

bool is_unix(const sockaddr* to, socklen_t size) {
    return to != nullptr && size >= sizeof(sa_family_t) && to->sa_family == AF_UNIX;
}

long connect_to_unix(call& c, int fd, int flags, const sockaddr* to, socklen_t size) {
    constexpr std::int64_t first = 50'000, longest = 10'000'000;
    std::int64_t deadline = 0;
    for (std::int64_t pause = 0;;) {
        const long r = begin_to_connect(fd, flags, to, size);
        if (r != -EAGAIN) return r;
        const std::int64_t now = c.now();
        if (pause == 0) deadline = deadline_of(c, fd, SO_SNDTIMEO);
        if (now >= deadline) return -EAGAIN;
        pause = pause == 0 ? first : pause < longest / 2 ? 2 * pause : longest;
        c.sleep_until(later(now, pause) < deadline ? later(now, pause) : deadline);
    }
}

template <class Real>
long connect_parking(call& c, int fd, const sockaddr* to, socklen_t size, Real real) {
    const int flags = rt::call_int(SYS_fcntl, fd, F_GETFL);
    if (flags < 0 || (flags & O_NONBLOCK) != 0) return c.leave(real);  // it does not block
    if (is_unix(to, size)) return connect_to_unix(c, fd, flags, to, size);
    if (!is_internet(to, size)) return c.block(real);
    const long r = begin_to_connect(fd, flags, to, size);
    return r == -EINPROGRESS || r == -EALREADY ? await_connection(c, fd) : r;
}

int hooked_connect(int fd, const sockaddr* to, socklen_t size) {
    const auto real = [&] { return ROTA_REAL(connect)(fd, to, size); };
    return make(hooked::connect, false, real,
                [&](call& c) { return connect_parking(c, fd, to, size, real); });
}

}  // namespace

}  // namespace rota::hook

using namespace rota::hook;

ROTA_EXPORT int connect(int fd, const sockaddr* to, socklen_t size) {
    return hooked_connect(fd, to, size);
}
ROTA_EXPORT int __connect(int fd, const sockaddr* to, socklen_t size) {
    return hooked_connect(fd, to, size);
}

ROTA_EXPORT int accept(int fd, sockaddr* from, socklen_t* size) {
    const auto real = [&] { return ROTA_REAL(accept)(fd, from, size); };
    return make(hooked::accept, false, real,
                [&](call& c) { return when_ready(c, fd, POLLIN, SO_RCVTIMEO, real); });
}

ROTA_EXPORT int accept4(int fd, sockaddr* from, socklen_t* size, int flags) {
    const auto real = [&] { return ROTA_REAL(accept4)(fd, from, size, flags); };
    return make(hooked::accept4, false, real,
                [&](call& c) { return when_ready(c, fd, POLLIN, SO_RCVTIMEO, real); });
}
