// Finds goroutines that provably can never run again: they wait for other goroutines, and no live
// part of the program can reach the objects for which they wait.
//
// Soundness comes first: a goroutine named here never runs again, unless the program keeps pointers
// where the search does not look (docs/debugging.md lists these places). The search takes any word
// that could be a pointer for a pointer, so it misses goroutines that can never run again.
//
//     candidates    goroutines that wait without a time limit for channels from make_chan, for
//                   locks, conditions, semaphores or groups, or for ever
//     proof         with the world stopped and the program's own threads held: marking from all
//                   memory (diag/leak/leak_roots, diag/leak/marking). Only candidates that are
//                   unmarked too can reach an unmarked candidate, and all of these wait
//     objects       of known extent: stacks of goroutines, blocks of channels. A lock in memory
//                   from malloc counts as reachable: malloc does not tell where the object around
//                   it begins
//
// Go: goroutine leak profiles, whose collector knows all objects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "diag/leak/wait_cycles.hpp"

namespace rota::rt {

struct unreachable_goroutines {
    std::vector<std::uint64_t> goids;  // in no order
    // Null, or the reason why the result holds only goroutines that wait for nothing at all.
    const char* unproven = nullptr;
    std::int64_t held_ns = 0;  // ns; how long the program's threads stood still
    std::size_t bytes_read = 0;
    std::vector<wait_cycle> cycles;  // if the caller asked for them; see visit_wait_cycles
};

// Stops the world. One search runs at a time, and no thread reads stacks meanwhile
// (diag/stack/reading_stacks). Blocks, and may migrate; from a goroutine or any thread. Throws
// std::bad_alloc.
unreachable_goroutines find_unreachable_goroutines();

// Also finds the unreachable goroutines that wait for each other. A goroutine that waits for a
// mutex with a noted owner (sync/lock_owners) counts as waiting for that owner alone, wherever the
// mutex lies. Rota lets other goroutines unlock the mutex, so this is no proof that the cycle
// never runs again. Visits each cycle before the next search may begin: pointers to a cycle's
// objects that are kept longer make the objects reachable. False: nothing could be proven; or
// `waits` is false, and another goroutine searches or reads stacks. The bystander must pass `waits`
// false: the search does not hold it, and reads the lists of waiters meanwhile.
bool visit_wait_cycles(void (*visit)(const wait_cycle&, void*), void* arg, bool waits);

// The number of goroutines that the last search found; 0 before the first search.
std::size_t unreachable_when_last_looked();
// The last search's `unproven`.
const char* why_last_unproven();

}  // namespace rota::rt
