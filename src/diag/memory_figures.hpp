// The runtime's own memory by Go's classes: each byte of address space in one of them.
#pragma once

#include <cstdint>

namespace rota::rt {

struct memory_figures {
    std::uint64_t stacks_used, stacks_free;
    // What tells of stacks' arenas, where Go has spans of its heap. What ps keep for the next who
    // wants a block or a stack, of those that there are and of those that there were.
    std::uint64_t spans, caches_used, caches_free;
    std::uint64_t other_tables, kernel_stacks, profiles, traces;

    std::uint64_t total() const {
        return stacks_used + stacks_free + spans + caches_used + caches_free + other_tables +
               kernel_stacks + profiles + traces;
    }
};

// Each figure is exact at some moment of the call. The runtime has been booted. Takes: the locks of
// the profiles' tables, inside a runtime_entry of its own.
memory_figures read_memory_figures();

}  // namespace rota::rt
