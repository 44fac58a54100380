// Reads the processor's counter of ticks. A read takes a few nanoseconds and is not ordered with
// the code around it. Whether it measures time: sys/call/ticks.
#pragma once

#include <cstdint>

namespace rota::rt {

#if defined(__x86_64__)
inline std::uint64_t processor_ticks() { return __builtin_ia32_rdtsc(); }
// Some billions a second: finer than needed, and large numbers.
inline constexpr unsigned tick_shift = 4;
#elif defined(__aarch64__)
inline std::uint64_t processor_ticks() {
    std::uint64_t ticks = 0;
    asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}
inline constexpr unsigned tick_shift = 0;
#endif

}  // namespace rota::rt
