// sudog: a goroutine in a wait list. It lies in the frame of the function that waits.
//
// Go keeps sudogs in caches because its stacks move; ours do not, so waiting allocates nothing. The
// price: once the waiter has been readied, its sudog may be gone at any moment. Who wakes takes
// what it needs first.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "core/g.hpp"

namespace rota::rt {

struct sudog {
    g* gp = nullptr;
    sudog* next = nullptr;  // in the wait list; guarded by the list's lock
    sudog* prev = nullptr;
    void* elem = nullptr;     // the value's place in the waiter's frame; null: nothing to copy
    void* wait_on = nullptr;  // the hchan, or the address of the semaphore
    bool success = false;     // woken by a communication, not by close

    // Of who waits in several places: the word that says by which of its sudogs it is woken.
    std::uint32_t number = 0;                // of this one, among them
    atomic<std::uint32_t>* claim = nullptr;  // null: waits here only. See chan/waitq.hpp
    std::int64_t acquire_time = 0;

    // Semaphore table only: a treap of addresses, each with a list of waiters.
    sudog* parent = nullptr;
    sudog* wait_link = nullptr;
    sudog* wait_tail = nullptr;
    std::uint32_t ticket = 0;
};

}  // namespace rota::rt
