// Measures how deep goroutines use their stacks, by the place that makes them
// (GODEBUG=stackdepth=1).
//
// The pages that a goroutine leaves behind tell its depth. When it ends, gfput finds the lowest
// page, notes it for the place, and gives back every page except the highest, so that the next
// goroutine begins with a clean stack. A page that was touched without a write counts too: it is
// mapped.
//
// While this is off, the path of a goroutine has no test for it. While it is on, no p has its own
// list of dead goroutines (p::no_gfree_class), so that each end takes the path through the pool,
// which has the test. A goroutine then costs two more system calls, about 3 us.
//
// Rejected: a pattern in each stack, as several systems fill the stacks of threads. It writes the
// whole stack: 64 pages for a goroutine that uses a single page.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/g.hpp"
#include "mem/stack.hpp"

namespace rota::rt {

// relaxed: written at boot
inline bool are_stack_depths_kept() { return stack_depths_kept.load(memory_order_relaxed); }

// Turns the measurement on. Caller: boot, before there are processors.
inline void keep_stack_depths() {
    stack_depths_kept.store(true, memory_order_relaxed);  // relaxed: no other thread is there
}

// Notes how deep gp has been, and clears its stack. Caller: gfput, with a dead g, off its stack.
// Takes no lock; two system calls.
ROTA_COLD void note_stack_depth(g& gp);

struct depth_of_place {
    const void* created_at = nullptr;  // as g::created_at
    const void* entry = nullptr;       // entry function of any of the goroutines
    std::uint64_t goroutines = 0;      // number that have ended
    std::size_t deepest = 0;           // bytes, in whole pages
    std::uint8_t cls = 0;              // class of their stacks
};

// Calls visit for each place and size of stacks. Any thread; goroutines may end meanwhile.
void for_each_stack_depth(void (*visit)(const depth_of_place&, void*), void* arg);

}  // namespace rota::rt
