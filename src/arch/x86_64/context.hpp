// Switches between contexts on x86-64; see arch/context.hpp.
#pragma once

#include <cstdint>

#include "base/annotations.hpp"

namespace rota::rt {

// Saves the running context in `from` and goes on with `to`. Returns when a thread, perhaps a
// different one, switches back to `from`. The caller's function must be marked ROTA_SWITCHES_STACK.
ROTA_ALWAYS_INLINE void context_switch(gobuf& from, const gobuf& to) {
    gobuf* save = &from;
    const gobuf* load = &to;
    asm volatile("leaq 1f(%%rip), %%rax\n\t"
                 "movq %%rax, 8(%[save])\n\t"
                 "movq %%rsp, (%[save])\n\t"
                 "movq %%rbp, 16(%[save])\n\t"
                 "movq (%[load]), %%rsp\n\t"
                 "movq 16(%[load]), %%rbp\n\t"
                 "jmpq *8(%[load])\n"
                 "1:"
                 : [save] "+D"(save), [load] "+S"(load)
                 :
                 : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
                   "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
                   "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "memory", "cc");
}

// Tells the processor that this thread spins.
ROTA_ALWAYS_INLINE void procyield(int times) {
    for (int i = 0; i < times; ++i) __builtin_ia32_pause();
}

}  // namespace rota::rt
