// System calls as they are, not as the C library's functions: a program may have put others in
// their place.
#pragma once

#include <cerrno>

#include <sys/syscall.h>
#include <unistd.h>

namespace rota::rt {

// What the C library makes of an error, turned back: 0 or more, or an errno value with its sign
// turned.
template <class... A>
long call(long number, A... args) {
    const long r = ::syscall(number, args...);
    return r < 0 ? -static_cast<long>(errno) : r;
}

template <class... A>
int call_int(long number, A... args) {
    return static_cast<int>(call(number, args...));
}

}  // namespace rota::rt
