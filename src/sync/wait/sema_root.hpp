// Queues the waiters of each address under a root of the semaphore table. Go: semaRoot.
//
// A root is a treap of addresses, each with its waiters in order. The nodes are the sudogs of the
// first waiters. Heap order by random tickets keeps the expected depth logarithmic. So many objects
// with colliding addresses do not slow each other down.
#pragma once

#include <cstdint>

#include "base/annotations.hpp"
#include "core/sudog.hpp"
#include "sys/thread/lock.hpp"

namespace rota::rt {

struct alignas(cache_line) sema_root {
    lock mu{lock_rank::sema};

    // Adds s, a waiter for `address`, behind the waiters of that address, or in front of them if
    // `lifo`.
    void queue(const void* address, sudog& s, bool lifo, std::uint32_t ticket) ROTA_REQUIRES(mu);

    // Takes the first waiter for `address` out, or null.
    [[nodiscard]] sudog* dequeue(const void* address) ROTA_REQUIRES(mu);

    // The first waiter for `address`, which stays queued; or null.
    [[nodiscard]] const g* first_at(const void* address) ROTA_REQUIRES(mu);

    // Calls visit(arg, sudog) for each waiter. Also without the lock, if it is not held and no
    // goroutine runs.
    void visit_waiters(void (*visit)(void* arg, const sudog& s), void* arg) const ROTA_NO_TSA;

  private:
    sudog** find(const void* address, sudog*& parent) ROTA_REQUIRES(mu);
    void replace(sudog& old, sudog& by) ROTA_REQUIRES(mu);
    void rotate_left(sudog& x) ROTA_REQUIRES(mu);
    void rotate_right(sudog& y) ROTA_REQUIRES(mu);

    sudog* treap_ ROTA_GUARDED_BY(mu) = nullptr;
};

}  // namespace rota::rt
