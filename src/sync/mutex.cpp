// The slow half of rota::mutex. Go: sync/mutex.go.
//
// Differs in unlock: Go subtracts the lock bit first and looks after waiters then. Here one
// compare-and-swap both unlocks and decides who is woken, because a goroutine that gets the lock in
// between may destroy the mutex. After that exchange only a waiter that sleeps still, and cannot be
// woken by anybody else, keeps the object alive until the semaphore has been given.
#include <rota/sync/mutex.hpp>

#include "arch/context.hpp"
#include "base/fatal.hpp"
#include "sched/entry.hpp"
#include "sched/wakeup.hpp"
#include "sync/sema.hpp"
#include "sys/clock.hpp"

namespace rota {

using namespace rota::rt;

namespace {

constexpr std::int64_t starvation_ns = 1'000'000;
constexpr int spin_pauses = 30;

}  // namespace

bool mutex::try_lock_slow() {
    std::int32_t old =
        state_.load(std::memory_order_relaxed);  // relaxed: the exchange synchronises
    while ((old & (locked | starving)) == 0) {
        if (state_.compare_exchange(old, old | locked,
                                    std::memory_order_acquire,  // pairs(mutex.handover)
                                    std::memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

void mutex::lock_slow() {
    const runtime_entry inside;
    std::int64_t waiting_since = 0;
    bool awake = false;
    bool starved = false;
    int spins = 0;
    while (!contend(waiting_since, awake, starved, spins)) {
    }
}

// One round of trying. True: locked.
bool mutex::contend(std::int64_t& waiting_since, bool& awake, bool& starved, int& spins) {
    std::int32_t old =
        state_.load(std::memory_order_relaxed);  // relaxed: the exchange synchronises
    if ((old & (locked | starving)) == locked && is_spinning_worthwhile(spins)) {
        // Tell unlock that somebody is awake, so that it wakes no sleeper.
        if (!awake && (old & woken) == 0 && old / waiter != 0 &&
            state_.cas(old, old | woken,
                       std::memory_order_relaxed)) {  // relaxed: hands over nothing
            awake = true;
        }
        procyield(spin_pauses);
        ++spins;
        return false;
    }
    std::int32_t wanted = old;
    if ((old & starving) == 0) wanted |= locked;  // a starving mutex is handed over: queue up
    if ((old & (locked | starving)) != 0) wanted += waiter;
    if (starved && (old & locked) != 0) wanted |= starving;
    if (awake) {
        ROTA_CHECK((wanted & woken) != 0);
        wanted &= ~woken;
    }
    if (!state_.cas(old, wanted, std::memory_order_acquire)) return false;  // pairs(mutex.handover)
    if ((old & (locked | starving)) == 0) return true;
    contended_.store(true, std::memory_order_relaxed);  // relaxed: a hint
    const bool waited_before = waiting_since != 0;
    if (!waited_before) waiting_since = nanotime();
    sem_acquire(sema_, waited_before, wait_reason::mutex_lock);
    starved = starved || nanotime() - waiting_since > starvation_ns;
    old = state_.load(std::memory_order_relaxed);  // relaxed: the semaphore has synchronised
    if ((old & starving) == 0) {
        awake = true;
        spins = 0;
        return false;
    }
    // Handed over to us: the lock bit is clear, we are still counted among the waiters.
    ROTA_CHECK((old & (locked | woken)) == 0 && old / waiter > 0);
    std::int32_t delta = locked - waiter;
    if (!starved || old / waiter == 1)
        delta -= starving;  // leave starvation mode: the last, or waited briefly
    state_.fetch_add(delta, std::memory_order_acquire);  // pairs(mutex.handover)
    return true;
}

void mutex::unlock_slow() {
    std::int32_t old =
        state_.load(std::memory_order_relaxed);  // relaxed: the exchange synchronises
    if (old / waiter == 0) contended_.store(false, std::memory_order_relaxed);  // relaxed: a hint
    bool hand_over = false;
    for (;;) {
        if ((old & locked) == 0) fatal("sync: unlock of unlocked mutex");
        std::int32_t wanted = old & ~locked;
        hand_over = (old & starving) != 0;
        const bool wake = hand_over || (old / waiter != 0 && (old & woken) == 0);
        if (wake && !hand_over) wanted = (wanted - waiter) | woken;
        if (!state_.compare_exchange(old, wanted,
                                     std::memory_order_release,     // pairs(mutex.handover)
                                     std::memory_order_relaxed)) {  // relaxed: tried again
            continue;
        }
        if (!wake) return;
        break;
    }
    const runtime_entry inside;
    sem_release(sema_, hand_over);
}

}  // namespace rota
