// Makes a system call inline, at the place of its use.
//
// The C library's syscall() is two returns away from its use. After a system call the processor
// predicts returns from calls that the kernel has made meanwhile. syscall() also leaves its errors
// in errno, which belongs to the program.
#pragma once

#include "base/annotations.hpp"

#if defined(__aarch64__)
#include "arch/context.hpp"  // the kernel clears the SVE part of the registers
#endif

namespace rota::rt {

// Returns the kernel's result: a negative errno value, or else no error.
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
