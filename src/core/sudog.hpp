// sudog: a goroutine in a wait list; those of channels are in chan/waitq.hpp. It lies in the frame
// of the function that waits.
//
// Go keeps sudogs in caches because its stacks move. Stacks of rota do not move, so waiting
// allocates nothing. The price: once the waiter has been readied, its sudog may be gone at any
// moment, so a waker first copies what it needs.
#pragma once

#include <cstdint>

#include "core/g.hpp"

namespace rota::rt {

struct sudog {
    g* gp = nullptr;
    sudog* next = nullptr;  // in the wait list; guarded by the list's lock
    sudog* prev = nullptr;
    void* wait_on = nullptr;  // the address of the semaphore

    // Semaphore table only: a treap of addresses, each with a list of waiters.
    sudog* parent = nullptr;
    sudog* wait_link = nullptr;
    sudog* wait_tail = nullptr;
    std::uint32_t ticket = 0;
    std::int64_t since = 0;  // nanotime of the wait for a lock, if it is to be profiled
};

}  // namespace rota::rt
