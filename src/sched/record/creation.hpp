// Keeps the whole stack of the creator of each goroutine, if the program asks for that.
//
// Otherwise a goroutine keeps one address of its creator's stack, in g::created_at. The switch adds
// no cost to a creation: it is a bit of m::ready_extras, which newproc reads anyway. A stop of the
// world brings the bit to each m.
//
// Each distinct stack is kept once. There is room for 65,535 stacks, some 18 MiB; goroutines beyond
// that have their one address. A stack is never freed, so a reader finds the true stack of a
// goroutine that has just ended.
//
// Go: GODEBUG=tracebackancestors, which copies a stack for each goroutine.
#pragma once

#include <cstdint>

#include "base/annotations.hpp"
#include "base/atomic.hpp"
#include "core/g.hpp"
#include "core/m.hpp"

namespace rota::rt {

struct creation_stack {
    // return addresses, innermost first; pcs[0] is the address in g::created_at
    const std::uintptr_t* pcs = nullptr;
    std::uint32_t count = 0;  // 0: unknown
    bool is_cut = false;      // the stack may continue beyond `count`
};

// relaxed: changed with the world stopped; a thread without a p may see it late
inline constinit atomic<bool> creations_kept{false};
inline bool are_creations_kept() { return creations_kept.load(memory_order_relaxed); }

// The lasting bits of ready_extras for an m that takes a p.
inline std::uint8_t extras_with_p(bool is_traced) {
    const std::uint8_t traced = is_traced ? m::ready_traced : std::uint8_t{0};
    return are_creations_kept() ? static_cast<std::uint8_t>(traced | m::ready_creations) : traced;
}

// Keeps the stacks from now on. Caller: boot, before there are processors; later: keep_creations
// (sched/world/keep_creations).
inline void keep_creations_from_the_start() {
    creations_kept.store(true, memory_order_relaxed);  // relaxed: no other thread runs yet
}

// Records for gp the calling stack from gp.created_at outwards. Caller: the creator; gp is in no
// queue yet.
ROTA_COLD void note_creation(g& gp);

// The stack of gp's creator. Caller: holds gp, or accepts a value of the moment.
creation_stack creation_of(const g& gp);
// The stack that a creation_place names.
creation_stack creation_of(creation_place at);

}  // namespace rota::rt
