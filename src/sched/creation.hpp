// Where goroutines were made: the whole stack of who has made one, where that is asked for.
//
// Otherwise a goroutine keeps one address of it, in g::created_at, and making one costs what it
// ever did: that stacks are kept is a bit among those which newproc looks at anyway
// (m::ready_extras), and each m is told by a stop of the world. A stack that was there before is
// kept once, of the others there is room for 65,535, some 18 MiB; goroutines beyond have their one
// address. A stack is never given up, so who reads of a goroutine that has just ended reads a true
// one all the same.
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
    // return addresses, the first one is that of g::created_at
    const std::uintptr_t* pcs = nullptr;
    std::uint32_t count = 0;  // 0: it is not known
    bool is_cut = false;      // there may be more
};

// relaxed: changed with the world stopped; who has no p may be a little late
inline constinit atomic<bool> creations_kept{false};
inline bool are_creations_kept() { return creations_kept.load(memory_order_relaxed); }

// What an m that has got a p does in newproc and goready.
inline std::uint8_t extras_with_p(bool is_traced) {
    const std::uint8_t traced = is_traced ? m::ready_traced : std::uint8_t{0};
    return are_creations_kept() ? static_cast<std::uint8_t>(traced | m::ready_creations) : traced;
}

// Stacks are kept from now on, or no more. Stops the world. Blocks, and may migrate; from a
// goroutine or any thread, in user code.
void keep_creations(bool on);
// The same before there are processors.
inline void keep_creations_from_the_start() {
    creations_kept.store(true, memory_order_relaxed);  // relaxed: nobody else is there
}

// Notes the calling stack, as far as it leads to gp.created_at, of gp, which is being made and in
// no queue.
ROTA_COLD void note_creation(g& gp);

// Of a goroutine that is held, or whose fields are those of the moment.
creation_stack creation_of(const g& gp);
// Of one that was made there.
creation_stack creation_of(creation_place at);

}  // namespace rota::rt
