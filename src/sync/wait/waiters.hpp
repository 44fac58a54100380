// A word of waiting goroutines: wait_group, latch and future sleep in it.
//
// The word lies in the object itself, so no search is needed. A fork-join tree has as many objects
// as goroutines, and in the semaphore table their addresses would crowd each other.
//
//     0          no waiter
//     pointer    the last waiter's sudog; each links to the sudog before it
//     2n + 1     opened: n waiters that are counted but have not arrived need not sleep
//
// A waiter adds itself behind its park, so a thread that finds it may ready it at once. The opener
// takes every waiter by one exchange and touches the object no more. The waiters' frames stay until
// the waiters are readied.
#pragma once

#include <cstdint>
#include <limits>

#include "base/atomic.hpp"
#include "core/status.hpp"
#include "core/sudog.hpp"
#include "sync/wait/wait_place.hpp"

namespace rota::rt {

struct g;

using waiters_word = atomic<std::uintptr_t>;

// What a sleeper passes to its commit function.
struct word_sleep {
    wait_place place = wait_place::word;
    waiters_word* word;
    sudog me;
};

// Every later waiter passes, for good.
inline constexpr std::uintptr_t open_for_all = std::numeric_limits<std::uintptr_t>::max();

// Sleeps until the word is opened for the caller. `outside`: the opener may be outside the caller's
// bubble, see waits_outside_in. Caller: inside a runtime_entry. Parks.
void wait_for_opening(waiters_word& word, wait_reason why, bool outside);

// A goroutine that sleeps in the word; null: none. For the owner of the object, at its destruction.
const g* find_waiter(const waiters_word& word);

// Calls visit(arg, gp) for each goroutine that sleeps in the word. No goroutine may run meanwhile.
void visit_word(const waiters_word& word, void (*visit)(void* arg, const g& gp), void* arg);

// Readies `count` waiters, including waiters that have not arrived yet. Caller: inside a
// runtime_entry; the object may be gone afterwards.
void open_for(waiters_word& word, std::uint32_t count);

// Readies every waiter and lets later waiters pass. As above.
void open_for_good(waiters_word& word);

}  // namespace rota::rt
