// Reads from a signal's context where the signal has interrupted its thread.
#pragma once

#include <ucontext.h>

#include "arch/context.hpp"

namespace rota::rt {

inline gobuf interrupted_at(const ucontext_t& context) {
#if defined(__x86_64__)
    const auto& r = context.uc_mcontext.gregs;
    return {reinterpret_cast<void*>(r[REG_RSP]), reinterpret_cast<void*>(r[REG_RIP]),
            reinterpret_cast<void*>(r[REG_RBP])};
#else
    const auto& r = context.uc_mcontext;
    return {reinterpret_cast<void*>(r.sp), reinterpret_cast<void*>(r.pc),
            reinterpret_cast<void*>(r.regs[29])};
#endif
}

}  // namespace rota::rt
