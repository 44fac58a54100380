// Reports the runtime's own memory by Go's classes: each byte of address space is in one class.
#pragma once

#include <cstdint>

namespace rota::rt {

struct memory_figures {
    std::uint64_t stacks_used, stacks_free;
    // `spans`: tables of the arenas of stacks, where Go has spans of its heap. `caches_*`: blocks
    // and stacks that ps keep for reuse, of the ps that exist and of removed ps.
    std::uint64_t spans, caches_used, caches_free;
    std::uint64_t other_tables, kernel_stacks, profiles, traces;

    std::uint64_t total() const {
        return stacks_used + stacks_free + spans + caches_used + caches_free + other_tables +
               kernel_stacks + profiles + traces;
    }
};

// Each figure is exact at some moment of the call. Caller: the runtime has been booted. Takes: the
// locks of the profiles' tables, inside a runtime_entry of its own.
memory_figures read_memory_figures();

}  // namespace rota::rt
