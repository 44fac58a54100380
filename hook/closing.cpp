// Functions that close descriptors: the goroutines that wait for one are told, and their calls fail
// with EBADF (poll says POLLNVAL). What closes a number by a system call of its own is not seen;
// who waits for it then waits on, as a thread would.
#include "call.hpp"
#include "export.hpp"

namespace rota::hook {

namespace {

// Behind the call, so that nobody who is told finds the old file.
void tell_of(int fd) {
    const int error = get_errno();
    tell_closed(static_cast<unsigned>(fd), static_cast<unsigned>(fd));
    set_errno(error);
}

}  // namespace

}  // namespace rota::hook

using namespace rota::hook;

ROTA_EXPORT int close(int fd) {
    const int r = ROTA_REAL(close)(fd);
    if (fd >= 0) tell_of(fd);
    return r;
}
ROTA_EXPORT int __close(int fd) { return close(fd); }

ROTA_EXPORT int dup2(int from, int to) noexcept {
    const int r = ROTA_REAL(dup2)(from, to);
    if (r >= 0 && from != to) tell_of(to);
    return r;
}
ROTA_EXPORT int __dup2(int from, int to) noexcept { return dup2(from, to); }

ROTA_EXPORT int dup3(int from, int to, int flags) noexcept {
    const int r = ROTA_REAL(dup3)(from, to, flags);
    if (r >= 0) tell_of(to);
    return r;
}

ROTA_EXPORT int close_range(unsigned first, unsigned last, int flags) noexcept {
    const int r = ROTA_REAL(close_range)(first, last, flags);
    const int error = get_errno();
    const bool closes = (static_cast<unsigned>(flags) & CLOSE_RANGE_CLOEXEC) == 0;
    if (r == 0 && closes) tell_closed(first, last);
    set_errno(error);
    return r;
}

ROTA_EXPORT void closefrom(int first) noexcept {
    ROTA_REAL(closefrom)(first);
    tell_closed(first < 0 ? 0U : static_cast<unsigned>(first), ~0U);
}

ROTA_EXPORT int fclose(FILE* file) {
    const int fd = ::fileno(file);
    const int r = ROTA_REAL(fclose)(file);
    if (fd >= 0) tell_of(fd);
    return r;
}
