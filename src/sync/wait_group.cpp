// The slow half of rota::wait_group. Go: sync/waitgroup.go.
#include <rota/sync/wait_group.hpp>

#include <rota/panic.hpp>

#include "base/fatal.hpp"
#include "sched/base/bubble.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/goroutine/destroyed.hpp"
#include "sync/wait/waiters.hpp"

namespace rota {

using namespace rota::rt;

// The bubble of the group is recorded by its address. The first add from zero decides it.
void wait_group::note_add() {
    std::uint64_t adder = 0;
    std::uint64_t owner = 0;
    {
        const runtime_entry_if_attached inside;
        adder = current_bubble();
        owner = bubble_of_object(this);
    }
    if (adder == owner) return;
    // relaxed: an add from zero comes before every later add
    if (state_.load(std::memory_order_relaxed) == 0) return set_bubble_of_object(this, adder);
    // A group that has members outside belongs to the outside: a waiter in it does not let time
    // advance.
    if (owner == 0) return;
    fatal(adder == 0 ? "sync: WaitGroup.Add called from inside and outside synctest bubble"
                     : "sync: WaitGroup.Add called from multiple synctest bubbles");
}

ROTA_COLD void wait_group::report_waiters(const char* what) const {
    report_destroyed(what, find_waiter(waiting_));
}

// Called when the count has reached zero, or there are waiters.
void wait_group::settle(std::uint64_t now, int n) {
    const auto count = static_cast<std::int32_t>(now >> 32);
    const auto waiters = static_cast<std::uint32_t>(now & waiters_mask);
    if (count < 0) throw panic_error("sync: negative WaitGroup counter");
    if (waiters != 0 && n > 0 && count == n) {
        throw panic_error("sync: WaitGroup misuse: Add called concurrently with Wait");
    }
    if (count > 0 || waiters == 0) return;
    // Zero with waiters: each sleeps, or is about to, and no goroutine may add meanwhile. No waiter
    // returns before each has been released.
    if (state_.load(std::memory_order_relaxed) != now) {  // relaxed: only misuse changes it
        throw panic_error("sync: WaitGroup misuse: Add called concurrently with Wait");
    }
    state_.store(0, std::memory_order_release);  // pairs(wait_group.zero)
    const runtime_entry inside;
    open_for(waiting_, waiters);
}

void wait_group::wait_slow() {
    bool reused = false;
    {
        const runtime_entry inside;
        std::uint64_t old = state_.load(std::memory_order_acquire);  // pairs(wait_group.zero)
        for (;;) {
            if (static_cast<std::int32_t>(old >> 32) == 0) return;
            if (state_.compare_exchange(old, old + 1,
                                        std::memory_order_acq_rel,     // pairs(wait_group.zero)
                                        std::memory_order_acquire)) {  // pairs(wait_group.zero)
                break;
            }
        }
        wait_for_opening(waiting_, wait_reason::wait_group_wait, waits_outside_in(this));
        reused = state_.load(std::memory_order_acquire) != 0;  // pairs(wait_group.zero)
    }
    if (reused) throw panic_error("sync: WaitGroup is reused before previous Wait has returned");
}

}  // namespace rota
