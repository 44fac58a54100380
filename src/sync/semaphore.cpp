// The slow paths of rota::counting_semaphore.
//
// Permits go to waiters directly: while a goroutine waits no permit is free, so it cannot be
// overtaken. Bit 0 sends every release to the list. A goroutine about to wait sets it under the
// list's lock; the release that leaves the list empty clears it. A bit without waiters costs the
// next release a look. The last touch of a release is its exchange of the word: a goroutine that
// gets a permit by it may destroy the semaphore.
#include <rota/sync/semaphore.hpp>

#include <rota/panic.hpp>

#include "sched/base/bubble.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sync/wait/wait_list.hpp"

namespace rota::detail {

using namespace rota::rt;

bool semaphore_core::take_until(std::int64_t deadline) {
    if (deadline != for_ever && deadline <= current_now()) return false;
    const runtime_entry inside;
    lock& l = sem_lock(this);
    waiter me;
    me.outside = waits_outside_in(this);
    l.acquire();
    std::uint64_t seen =
        word_.load(std::memory_order_relaxed);  // relaxed: the exchange synchronises
    for (;;) {
        if (seen > 1) {
            if (word_.compare_exchange(seen, seen - 2,
                                       std::memory_order_acquire,     // pairs(semaphore.permit)
                                       std::memory_order_relaxed)) {  // relaxed: tried again
                l.release();
                return true;
            }
            continue;
        }
        // relaxed: a release that sees the bit takes the lock.
        if (seen == 1 ||
            word_.compare_exchange(seen, 1, std::memory_order_relaxed, std::memory_order_relaxed))
            break;
    }
    enter_list(waiting_, me);
    return sleep_in_list_until(me, l, deadline, wait_reason::semacquire);
}

ROTA_COLD void semaphore_core::report_waiters() const {
    report_list_waiters("semaphore", waiting_, this);
}

void semaphore_core::give(std::ptrdiff_t n, std::ptrdiff_t max) {
    std::uint64_t seen = word_.load(std::memory_order_relaxed);  // relaxed: see below
    for (;;) {
        if (n < 0 || static_cast<std::ptrdiff_t>(seen >> 1) > max - n)
            throw panic_error("rota: release of a semaphore beyond its maximum");
        if (n == 0) return;
        if ((seen & 1) != 0) return give_to_waiters(n);
        if (word_.compare_exchange(seen, seen + 2 * static_cast<std::uint64_t>(n),
                                   std::memory_order_release,   // pairs(semaphore.permit)
                                   std::memory_order_relaxed))  // relaxed: tried again
            return;
    }
}

void semaphore_core::give_to_waiters(std::ptrdiff_t n) {
    const runtime_entry inside;
    waiter* first = nullptr;
    {
        const lock_guard guard(sem_lock(this));
        waiter** end = &first;
        for (; n > 0; --n) {
            waiter* const w = take_first(waiting_);
            if (w == nullptr) break;
            *end = w;
            end = &w->next;
        }
        if (waiting_.first == nullptr) {
            std::uint64_t seen =
                word_.load(std::memory_order_relaxed);  // relaxed: the exchange decides
            while (!word_.compare_exchange(seen,
                                           (seen >> 1 << 1) + 2 * static_cast<std::uint64_t>(n),
                                           std::memory_order_release,     // pairs(semaphore.permit)
                                           std::memory_order_relaxed)) {  // relaxed: tried again
            }
        }
    }
    ready_chain(first);
}

}  // namespace rota::detail
