// connect, accept, accept4.
//
// connect has no flag for a single call. The socket, which is connected to nothing yet, does not
// block for the time of the call, some microseconds; then its flags are as before. Only Internet
// sockets need that: a Unix socket that cannot connect at once waits for its listener's queue, of
// which poll does not tell, so its call is made in a blocking section.
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

template <class Real>
long connect_parking(call& c, int fd, const sockaddr* to, socklen_t size, Real real) {
    const int flags = rt::call_int(SYS_fcntl, fd, F_GETFL);
    if (flags < 0 || (flags & O_NONBLOCK) != 0 || !is_internet(to, size)) return c.block(real);
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
