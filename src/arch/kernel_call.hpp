// A system call, made where it is asked for.
//
// The C library's syscall() is two returns away from where it is used, and behind a system call the
// processor guesses returns from what the kernel has called in the meantime. It also leaves its
// errors in errno, which is the program's.
#pragma once

#include "base/annotations.hpp"

#if defined(__aarch64__)
#include "arch/context.hpp"  // the kernel drops what SVE adds to the registers
#endif

namespace rota::rt {

// What the kernel has returned: an errno value with its sign turned, or else no error.
#if defined(__x86_64__)
ROTA_ALWAYS_INLINE long kernel_call(long number, long a = 0, long b = 0, long c = 0, long d = 0,
                                    long e = 0, long f = 0) {
    register long fourth asm("r10") = d;
    register long fifth asm("r8") = e;
    register long sixth asm("r9") = f;
    long result = 0;
    asm volatile("syscall"
                 : "=a"(result)
                 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                 : "rcx", "r11", "memory");
    return result;
}
#elif defined(__aarch64__)
ROTA_ALWAYS_INLINE long kernel_call(long number, long a = 0, long b = 0, long c = 0, long d = 0,
                                    long e = 0, long f = 0) {
    register long nr asm("x8") = number;
    register long first asm("x0") = a;
    register long second asm("x1") = b;
    register long third asm("x2") = c;
    register long fourth asm("x3") = d;
    register long fifth asm("x4") = e;
    register long sixth asm("x5") = f;
    asm volatile("svc #0"
                 : "+r"(first)
                 : "r"(nr), "r"(second), "r"(third), "r"(fourth), "r"(fifth), "r"(sixth)
                 : "memory" ROTA_CLOBBERED_SVE);
    return first;
}
#endif

}  // namespace rota::rt
