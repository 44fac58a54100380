// The slow paths of rota::mutex. Go: sync/mutex.go.
//
// Differs in unlock. Go subtracts the lock bit first and looks for waiters then. Here one step both
// unlocks and decides which waiter is woken, because a goroutine that gets the lock in between may
// destroy the mutex. After that step the object is kept alive only by a waiter that still sleeps,
// and that no other thread can wake, until the semaphore has been given.
//
// Two speeds, by the bit `slow`:
//
//     fast: the state is 0 or `locked`; unlock is a restartable sequence
//     (sys/thread/asymmetric.hpp)
//       │ ▲
//       │ └── unlock, after calm_max unlocks during which no goroutine waited
//       ▼ leave_fast_mode: a goroutine is about to wait
//     slow: waiters are counted, every change is a locked instruction
//
// While an unlock that has read plain `locked` is about to write 0 over it, no thread may write
// another bit. So a goroutine that wants to wait writes `asked`, restarts the owners, and writes
// `slow` if `asked` is still there. Its presence proves that it has been there all the time, since
// askers run one after the other, under a lock. So no unlock in the fast way has begun since the
// restart. An unlock that finds `asked` writes `slow` itself.
//
// While locks are watched (sync/lock_owners), the locker is noted behind the exchange that locks,
// and the unlocker takes the note back before the exchange that unlocks. So a note is never older
// than the lock that it is about. For that every lock and unlock must come through here: the bit
// `watched`, which keeps a mutex slow, sends them. It is set by an exchange that locks or unlocks
// in the slow way. At that moment the lock is free or held by the caller, so no unlock sequence is
// under way.
//
// A mutex made while locks are watched begins with `slow` and `watched`, so that its first lock
// comes through here too. So does a mutex made before it is known whether locks are watched: by the
// compiler, or before the runtime has booted. If they are not watched, its first lock makes it
// fast. The first lock of a mutex made in between, before debug::watch_locks, is not noted.
#include <rota/sync/mutex.hpp>

#include "arch/context.hpp"
#include "base/fatal.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/base/wakeup.hpp"
#include "sync/lock_owners.hpp"
#include "sync/wait/sema.hpp"
#include "sys/call/clock.hpp"
#include "sys/thread/asymmetric.hpp"

namespace rota {

using namespace rota::rt;

namespace {

constexpr std::int64_t starvation_ns = 1'000'000;
constexpr int spin_pauses = 30;
constexpr int calm_max = 250;  // pays for the 2 to 4 µs of leaving the fast mode again

}  // namespace

// The bits that an exchange sets beside `locked`, or instead of it, while locks are watched.
std::uint32_t mutex::watch_bits() const { return are_locks_watched() ? slow | watched : 0; }

// Caller: the holder of the lock; no other thread sets or clears the bit then.
bool mutex::is_watched() const {
    return (state_.load(std::memory_order_relaxed) & watched) != 0;  // relaxed: see above
}

// Caller: has just locked, and is outside the runtime.
ROTA_COLD void mutex::note_owner() const {
    const runtime_entry inside;
    note_lock_owner(*this);
}

// Caller: is about to unlock, and is outside the runtime.
ROTA_COLD void mutex::forget_owner() const {
    const runtime_entry inside;
    forget_lock_owner(*this);
}

// A goroutine that is counted and does not sleep yet is not found: the report names sleepers only.
ROTA_COLD void mutex::report_waiters(const char* what) const { sem_report_waiters(what, &sema_); }

bool mutex::try_lock_slow() {
    std::uint32_t old =
        state_.load(std::memory_order_relaxed);  // relaxed: the exchange synchronises
    while ((old & (locked | starving)) == 0) {
        const bool gets_fast = old == untold && !are_locks_watched();  // as in lock_slow
        if (state_.compare_exchange(old, gets_fast ? locked : old | locked | watch_bits(),
                                    std::memory_order_acquire,  // pairs(mutex.handover)
                                    std::memory_order_relaxed)) {
            if (ROTA_UNLIKELY(is_watched())) note_owner();
            return true;
        }
    }
    return false;
}

void mutex::lock_slow(std::uint32_t seen) {
    // The mutex is free and has no waiters, so no sequence is under way. This runs outside the
    // runtime, which may not have booted.
    if (seen == untold && !are_locks_watched() &&
        state_.cas(untold, locked, std::memory_order_acquire))  // pairs(mutex.handover)
        return;
    const runtime_entry inside;
    std::int64_t waiting_since = 0;
    bool awake = false;
    bool starved = false;
    int spins = 0;
    while (!contend(waiting_since, awake, starved, spins)) {
    }
    if (waiting_since != 0) count_lock_wait(nanotime() - waiting_since);
    if (ROTA_UNLIKELY(is_watched())) note_lock_owner(*this);
}

// One round of trying. True: locked.
bool mutex::contend(std::int64_t& waiting_since, bool& awake, bool& starved, int& spins) {
    std::uint32_t old =
        state_.load(std::memory_order_relaxed);  // relaxed: the exchange synchronises
    if ((old & (locked | starving)) == locked && is_spinning_worthwhile(spins)) {
        // Tell unlock that a waiter is awake, so that it wakes no sleeper.
        if (!awake && (old & woken) == 0 && old / waiter != 0 &&
            state_.cas(old, old | woken,
                       std::memory_order_relaxed)) {  // relaxed: hands over nothing
            awake = true;
        }
        procyield(spin_pauses);
        ++spins;
        return false;
    }
    if ((old & locked) != 0 && (old & slow) == 0) {
        leave_fast_mode();
        return false;
    }
    std::uint32_t wanted = old;
    if ((old & starving) == 0) wanted |= locked;  // a starving mutex is handed over: queue up
    if ((old & (locked | starving)) != 0) wanted += waiter;
    else wanted |= watch_bits();  // the lock is free
    if (starved && (old & locked) != 0) wanted |= starving;
    if (awake) {
        ROTA_CHECK((wanted & woken) != 0);
        wanted &= ~woken;
    }
    if (!state_.cas(old, wanted, std::memory_order_acquire)) return false;  // pairs(mutex.handover)
    if ((old & (locked | starving)) == 0) return true;
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
    // The lock was handed over to this goroutine: the lock bit is clear, and the goroutine is still
    // counted as a waiter.
    ROTA_CHECK((old & (locked | woken)) == 0 && old / waiter != 0);
    std::uint32_t delta = locked - waiter;  // wraps, as the sum does
    if (!starved || old / waiter == 1)
        delta -= starving;  // leave starvation mode: the last, or waited briefly
    state_.fetch_add(delta, std::memory_order_acquire);  // pairs(mutex.handover)
    return true;
}

void mutex::leave_fast_mode() {
    const lock_guard one_asks(sem_lock(&sema_));
    // relaxed, each operation: nothing is handed over.
    if (!state_.cas(locked, locked | asked, std::memory_order_relaxed)) return;
    restart_owners();
    state_.cas(locked | asked, locked | slow, std::memory_order_relaxed);
}

void mutex::unlock() {
    if (ROTA_LIKELY(owner_replace_restartable(state_, locked, 0))) return;  // pairs(mutex.handover)
    // relaxed: the exchange decides. A watched mutex stays watched; a mutex becomes watched in the
    // slow way.
    if (state_.load(std::memory_order_relaxed) == locked && ROTA_LIKELY(!are_locks_watched()) &&
        state_.cas(locked, 0, std::memory_order_release))  // pairs(mutex.handover)
        return;
    unlock_slow();
}

// Whether it is time for the fast mode again. Counts consecutive unlocks without a waiter.
bool mutex::is_calm(std::uint32_t old) {
    // relaxed, each access: only the holder of the lock is here
    const int before = calm_.load(std::memory_order_relaxed);
    const int now = old == (locked | slow) ? before + 1 : 0;
    const bool enough = now >= calm_max;
    if (now != before || enough)
        calm_.store(static_cast<std::uint8_t>(enough ? 0 : now), std::memory_order_relaxed);
    return enough;
}

void mutex::unlock_slow() {
    std::uint32_t old =
        state_.load(std::memory_order_relaxed);  // relaxed: the exchange synchronises
    const bool watching = ROTA_UNLIKELY(are_locks_watched());
    // The note is taken back while the caller holds the lock: behind the exchange another goroutine
    // may hold it.
    if (watching && (old & (locked | watched)) == (locked | watched)) forget_owner();
    bool hand_over = false;
    bool wake = false;
    for (;;) {
        if ((old & locked) == 0) fatal("sync: unlock of unlocked mutex");
        std::uint32_t wanted = old & ~(locked | asked | watched);
        if (watching) {
            wanted |= slow | watched;  // as below: the caller holds the lock
        } else if ((old & asked) != 0) {
            // The caller holds the lock and is in no sequence, so it may grant the request.
            // Otherwise a goroutine that unlocks and locks in a loop would never let the asker have
            // the lock.
            wanted |= slow;
            // relaxed: only the holder of the lock is here
            calm_.store(0, std::memory_order_relaxed);
        } else if ((old & slow) != 0 && is_calm(old)) {
            wanted = 0;
        }
        hand_over = (old & starving) != 0;
        wake = hand_over || (old / waiter != 0 && (old & woken) == 0);
        if (wake && !hand_over) wanted = (wanted - waiter) | woken;
        if (state_.compare_exchange(old, wanted,
                                    std::memory_order_release,     // pairs(mutex.handover)
                                    std::memory_order_relaxed)) {  // relaxed: tried again
            break;
        }
    }
    if (!wake) return;
    const runtime_entry inside;
    sem_release(sema_, hand_over);
}

}  // namespace rota
