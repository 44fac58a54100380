// A word of waiting gs: what wait_group and future sleep on.
//
// The word lies in the object itself, so that nothing is searched: a fork-join tree has as many
// objects as goroutines, and in the semaphore table their addresses would crowd each other.
//
//     0          nobody
//     pointer    the last waiter's sudog; each links to the one before it
//     2n + 1     opened: n waiters who are counted but not yet here need not sleep
//
// A waiter adds itself behind its park, so whoever finds it may ready it at once. Who opens takes
// all by one exchange and touches the object no more; the waiters' frames are theirs until they
// are readied.
#pragma once

#include <cstdint>
#include <limits>

#include "base/atomic.hpp"
#include "core/status.hpp"

namespace rota::rt {

struct g;

using waiters_word = atomic<std::uintptr_t>;

// Everybody who comes may pass, for good.
inline constexpr std::uintptr_t open_for_all = std::numeric_limits<std::uintptr_t>::max();

// Sleeps until the word is opened for the caller. `outside`: what opens it may come from outside of
// the caller's bubble, see waits_outside_in. Caller: inside a runtime_entry. Parks.
void wait_for_opening(waiters_word& word, wait_reason why, bool outside);

// One that sleeps in the word; null: none does. For the owner of the object, when it goes.
const g* find_waiter(const waiters_word& word);

// Readies `count` waiters, those who are not here yet included. Caller: inside a runtime_entry; the
// object may be gone afterwards.
void open_for(waiters_word& word, std::uint32_t count);

// Readies all, and lets everybody pass from now on. As above.
void open_for_good(waiters_word& word);

}  // namespace rota::rt
