// System calls made directly, not by the C library's functions: a program may have replaced these.
// errno is left alone.
#pragma once

#include <cerrno>
#include <cstddef>
#include <type_traits>

#include <sys/syscall.h>
#include <unistd.h>

#include "arch/kernel_call.hpp"
#include "base/annotations.hpp"

namespace rota::rt {

// Converts an argument to the kernel's type: an argument that the kernel reads as an int is one
// here.
template <class A>
ROTA_ALWAYS_INLINE long kernel_argument(A a) {
    if constexpr (std::is_pointer_v<A>) return reinterpret_cast<long>(a);
    else if constexpr (std::is_null_pointer_v<A>) return 0;
    else return static_cast<long>(a);
}

// 0 or more, or a negative errno value.
template <class... A>
ROTA_ALWAYS_INLINE long call(long number, A... args) {
#if defined(ROTA_MODEL)
    // The explorer of schedules stands in the place of syscall(), and refuses calls that it does
    // not know.
    const long r = ::syscall(number, kernel_argument(args)...);
    return r < 0 ? -static_cast<long>(errno) : r;
#else
    return kernel_call(number, kernel_argument(args)...);
#endif
}

template <class... A>
ROTA_ALWAYS_INLINE int call_int(long number, A... args) {
    return static_cast<int>(call(number, args...));
}

// Whether the kernel does not know a call, or a filter of system calls forbids it: many filters
// answer EPERM to calls that they do not know. Caller: has an alternative, which returns EPERM
// again if EPERM is the answer of the call itself.
constexpr bool is_absent(long result) { return result == -ENOSYS || result == -EPERM; }

// Reads the kernel's files for the runtime's own use: errors as above. Under tsan it is the
// library's function, because tsan tracks descriptors and must see each close.
ROTA_ALWAYS_INLINE long plain_read(int fd, void* to, std::size_t size) {
#if defined(ROTA_MODEL) || ROTA_TSAN
    return ::read(fd, to, size);
#else
    return call(SYS_read, fd, to, size);
#endif
}
ROTA_ALWAYS_INLINE void plain_close(int fd) {
#if defined(ROTA_MODEL) || ROTA_TSAN
    ::close(fd);
#else
    (void)call(SYS_close, fd);
#endif
}

}  // namespace rota::rt
