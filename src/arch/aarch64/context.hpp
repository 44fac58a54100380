// Switches between contexts on AArch64; see arch/context.hpp. Linux gives x18 no meaning of its
// own, so compilers keep values in it as in any other register; it is declared clobbered. No
// function that switches may use alloca, or x19 would be its base pointer and could not be declared
// clobbered.
//
// Where the compiler may use SVE, its predicates and the upper parts of its vectors are ordinary
// registers that no switch saves.
#pragma once

#include <cstdint>

#include "base/annotations.hpp"

#if defined(__ARM_FEATURE_SVE)
#define ROTA_CLOBBERED_SVE \
    , "z0", "z1", "z2", "z3", "z4", "z5", "z6", "z7", "z8", "z9", "z10", "z11", "z12", "z13", \
        "z14", "z15", "z16", "z17", "z18", "z19", "z20", "z21", "z22", "z23", "z24", "z25", "z26", \
        "z27", "z28", "z29", "z30", "z31", "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", \
        "p9", "p10", "p11", "p12", "p13", "p14", "p15"
#else
#define ROTA_CLOBBERED_SVE
#endif

namespace rota::rt {

// Saves the running context in `from` and goes on with `to`. Returns when a thread, perhaps a
// different one, switches back to `from`. The caller's function must be marked ROTA_SWITCHES_STACK.
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
                   "v30", "v31", "memory", "cc" ROTA_CLOBBERED_SVE);
}

// Tells the processor that this thread spins.
ROTA_ALWAYS_INLINE void procyield(int times) {
    for (int i = 0; i < times; ++i) asm volatile("yield");
}

}  // namespace rota::rt
