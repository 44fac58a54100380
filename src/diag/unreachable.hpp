// Goroutines that provably can never run again: they wait for others, and nobody who lives can
// reach what they wait for.
//
// Soundness comes first: who is named here never runs again, unless the program keeps pointers
// where nobody looks (docs/debugging.md lists where that is). In what is looked at any word that
// could be a pointer is taken for one, so that some who can never run again are not named.
//
//     candidates    goroutines that wait without a time limit for channels that make_chan has made,
//                   for locks, conditions, semaphores or groups, or for ever
//     proof         with the world stopped and the program's own threads held where they are:
//     marking
//                   from all memory (diag/leak_roots, diag/marking). What is not marked at the end
//                   is reached by none but those who are named with it, and all of these wait
//     objects       of which the extent is known: stacks of goroutines, blocks of channels. A lock
//                   in memory from malloc counts as reachable: malloc tells nobody where the object
//                   around it begins
//
// Go: goroutine leak profiles, whose collector knows all objects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "diag/wait_circles.hpp"

namespace rota::rt {

struct unreachable_goroutines {
    std::vector<std::uint64_t> goids;  // in no order
    // Null, or why only those were found that wait for nothing at all.
    const char* unproven = nullptr;
    std::int64_t held_ns = 0;  // the program's threads stood still so long
    std::size_t bytes_read = 0;
    std::vector<wait_circle> circles;  // if they were asked for; see visit_wait_circles
};

// Stops the world; one searches at a time, and nobody reads stacks meanwhile
// (diag/reading_stacks). Blocks, and may migrate; from a goroutine or any thread.
// Throws std::bad_alloc.
unreachable_goroutines find_unreachable_goroutines();

// Those of them that wait for each other, too. Who waits for a mutex of which it is noted who has
// locked it (sync/lock_owners) counts as waiting for that goroutine alone, wherever the mutex lies:
// rota allows others to unlock it, so that this is no proof that they never run again. Visits each
// circle before the next search of anybody may begin: pointers to its objects, kept longer, make
// them reachable. False: nothing could be proven; or `waits` is false, and another goroutine
// searches or reads stacks. The bystander must not wait: the search does not hold it, and reads the
// lists of waiters meanwhile.
bool visit_wait_circles(void (*visit)(const wait_circle&, void*), void* arg, bool waits);

// How many the last search has found; 0 before the first.
std::size_t unreachable_when_last_looked();
// And its `unproven`.
const char* why_last_unproven();

}  // namespace rota::rt
