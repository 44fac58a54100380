// Reads and sets the control words of floating-point arithmetic: rounding, masked exceptions,
// flushing to zero.
//
// They belong to the thread. A switch of goroutines leaves them alone, because saving them would
// cost it 2-3 ns. A goroutine that changes them restores them before it blocks, and debug builds
// check that. Status bits, which every division may set, are not compared.
#pragma once

#include <cstdint>

namespace rota::rt {

struct fp_control {
    std::uint64_t bits = 0;

    friend bool operator==(const fp_control&, const fp_control&) = default;

#if defined(__x86_64__)
    // MXCSR in the lower half, the x87 control word in the upper half.
    static fp_control current() {
        std::uint32_t mxcsr = 0;
        std::uint16_t x87 = 0;
        asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(mxcsr), "=m"(x87));
        return {(mxcsr & ~std::uint32_t{0x3f}) | std::uint64_t{x87} << 32};
    }
    void make_current() const {
        const auto mxcsr = static_cast<std::uint32_t>(bits);
        const auto x87 = static_cast<std::uint16_t>(bits >> 32);
        asm volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(mxcsr), "m"(x87));
    }
#elif defined(__aarch64__)
    static fp_control current() {
        fp_control c;
        asm volatile("mrs %0, fpcr" : "=r"(c.bits));
        return c;
    }
    void make_current() const { asm volatile("msr fpcr, %0" : : "r"(bits)); }
#endif
};

}  // namespace rota::rt
