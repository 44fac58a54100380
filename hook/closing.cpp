// Hooks the functions that close descriptors. The goroutines that wait for the descriptor
// are woken, and their calls fail with EBADF (poll reports POLLNVAL). A close by a direct system
// call is not seen: the goroutines wait on, as threads would.
//
// The runtime numbers each close before it begins, since another file may have the descriptor's
// number before the call returns (src/hook/table.hpp). A close that fails with EBADF has closed
// nothing.
#include "call.hpp"
#include "export.hpp"

using namespace rota::hook;

ROTA_EXPORT int close(int fd) {
    const closing now;
    const int r = ROTA_REAL(close)(fd);
    const int error = get_errno();
    if (fd < 0 || (r < 0 && error == EBADF)) return r;
    // After the call, so that no woken waiter finds the old file.
    now.tell(static_cast<unsigned>(fd), static_cast<unsigned>(fd));
    set_errno(error);
    return r;
}
ROTA_EXPORT int __close(int fd) { return close(fd); }

ROTA_EXPORT int dup2(int from, int to) noexcept {
    const closing now;
    const int r = ROTA_REAL(dup2)(from, to);
    const int error = get_errno();
    if (r >= 0 && from != to) now.tell(static_cast<unsigned>(to), static_cast<unsigned>(to));
    set_errno(error);
    return r;
}
ROTA_EXPORT int __dup2(int from, int to) noexcept { return dup2(from, to); }

ROTA_EXPORT int dup3(int from, int to, int flags) noexcept {
    const closing now;
    const int r = ROTA_REAL(dup3)(from, to, flags);
    const int error = get_errno();
    if (r >= 0) now.tell(static_cast<unsigned>(to), static_cast<unsigned>(to));
    set_errno(error);
    return r;
}

ROTA_EXPORT int close_range(unsigned first, unsigned last, int flags) noexcept {
    const closing now;
    const int r = ROTA_REAL(close_range)(first, last, flags);
    const int error = get_errno();
    const bool closes = (static_cast<unsigned>(flags) & CLOSE_RANGE_CLOEXEC) == 0;
    if (r == 0 && closes) now.tell(first, last);
    set_errno(error);
    return r;
}

ROTA_EXPORT void closefrom(int first) noexcept {
    const closing now;
    ROTA_REAL(closefrom)(first);
    now.tell(first < 0 ? 0U : static_cast<unsigned>(first), ~0U);
}

ROTA_EXPORT int fclose(FILE* file) {
    const int fd = ::fileno(file);
    const closing now;
    const int r = ROTA_REAL(fclose)(file);
    const int error = get_errno();
    if (fd < 0) return r;
    // EBADF may come from the last write; fclose has then closed the descriptor all the same.
    const auto number = static_cast<unsigned>(fd);
    if (r != 0 && error == EBADF) now.look_again(number, number);
    else now.tell(number, number);
    set_errno(error);
    return r;
}
