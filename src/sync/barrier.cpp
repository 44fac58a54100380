// Ends the phase of a barrier, and waits for the end. The change of the phase is the last touch of
// the barrier: a goroutine that sees it may destroy the barrier.
#include <rota/sync/barrier.hpp>

#include <rota/panic.hpp>

#include "sched/base/bubble.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sync/wait/wait_list.hpp"

namespace rota::detail {

using namespace rota::rt;

void barrier_core::end_phase() {
    const runtime_entry inside;
    // relaxed, all three: the change of the phase publishes them.
    left_.store(expected_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    waiter* first = nullptr;
    {
        const lock_guard guard(sem_lock(this));
        first = take_all(waiting_);
        const std::uint64_t next = phase_.load(std::memory_order_relaxed) + 1;
        phase_.store(next, std::memory_order_release);  // pairs(barrier.phase)
    }
    ready_chain(first);
}

void barrier_core::wait_slow(std::uint64_t phase) const {
    const runtime_entry inside;
    lock& l = sem_lock(this);
    waiter me;
    me.outside = waits_outside_in(this);
    l.acquire();
    if (phase_.load(std::memory_order_relaxed) != phase) {  // relaxed: written under the lock
        l.release();
        return;
    }
    enter_list(waiting_, me);
    sleep_in_list(me, l, wait_reason::semacquire);
}

ROTA_COLD void barrier_core::report_waiters() const {
    report_list_waiters("barrier", waiting_, this);
}

void barrier_core::too_many() {
    throw panic_error("rota: more arrivals at a barrier than it expects");
}

}  // namespace rota::detail
