// The AArch64 half of arch/context.hpp. Linux gives x18 no meaning of its own, so compilers keep
// values in it as in any other register; it is declared clobbered. No function that switches may
// use alloca, or x19 would be its base pointer and could not be declared clobbered.
#pragma once

#include <cstdint>

#include "base/annotations.hpp"

namespace rota::rt {

// Saves the running context in `from` and goes on with `to`. Returns when somebody switches back to
// `from`, perhaps on another thread. The caller's function must be marked ROTA_SWITCHES_STACK.
ROTA_ALWAYS_INLINE void context_switch(gobuf& from, const gobuf& to) {
    register gobuf* save asm("x0") = &from;
    register const gobuf* load asm("x1") = &to;
    asm volatile("adr x9, 1f\n\t"
                 "mov x10, sp\n\t"
                 "stp x10, x9, [x0]\n\t"
                 "str x29, [x0, #16]\n\t"
                 "ldp x10, x9, [x1]\n\t"
                 "ldr x29, [x1, #16]\n\t"
                 "mov sp, x10\n\t"
                 "br x9\n"
                 "1:"
                 : "+r"(save), "+r"(load)
                 :
                 : "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13",
                   "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24",
                   "x25", "x26", "x27", "x28", "x30", "v0", "v1", "v2", "v3", "v4", "v5", "v6",
                   "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18",
                   "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29",
                   "v30", "v31", "memory", "cc");
}

// Tells the processor that this thread spins.
ROTA_ALWAYS_INLINE void procyield(int times) {
    for (int i = 0; i < times; ++i) asm volatile("yield");
}

}  // namespace rota::rt
