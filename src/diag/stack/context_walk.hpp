// Walking a stack that does not run now, from where it will go on, by the unwinder's tables.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arch/context.hpp"

namespace rota::rt {

struct context_walk {
    // --- set by the caller: room for so many, and what stack it is -------------------
    std::uintptr_t* pcs;
    std::size_t max;
    std::uintptr_t lo = 0, hi = ~std::uintptr_t{0};  // where its frames may be

    // --- found; as far as it has come, if it does not end ------------------------------
    std::size_t count = 0;
    std::uintptr_t sp = 0;  // of the last frame

    // Writes return addresses, the innermost first. `from.pc` is one too. Nothing of that stack may
    // run meanwhile.
    void walk(const gobuf& from);
};

}  // namespace rota::rt
