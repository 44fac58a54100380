// rota::mutex: mutual exclusion that blocks the goroutine, not the thread.
#pragma once

#include <cstdint>
#include <type_traits>

#include <rota/detail/atomic.hpp>

namespace rota::rt {
struct lock_view;
}

namespace rota::detail {

// The state in which a new mutex begins: watched or not. Read and written with __atomic, relaxed.
// With an outdated state the first lock of a mutex is not noted, or takes some nanoseconds more.
// Written by boot and by debug::watch_locks.
extern std::uint32_t mutex_begins_as;

inline std::uint32_t mutex_state_at_first() noexcept {
    return __atomic_load_n(&mutex_begins_as, __ATOMIC_RELAXED);
}

}  // namespace rota::detail

namespace rota {

/// A mutual exclusion lock for goroutines and threads, 12 bytes, usable with std::lock_guard and
/// std::unique_lock.
///
/// It has two modes. Normal: waiters queue in order, but a woken waiter competes with newcomers,
/// which are running already and usually win; that is fast. Starvation: once a waiter has waited
/// for more than 1 ms, unlock hands the lock to the waiter at the head of the queue, and newcomers
/// queue at the tail; that bounds the wait.
///
/// It has no owner: any goroutine may unlock it. It may be destroyed as soon as the last unlock has
/// been called and every lock has returned, also by the goroutine that got the lock from that
/// unlock. Go: sync.Mutex.
///
/// While locks are watched (debug::watch_locks) the runtime notes the holder of each mutex. For a
/// mutex made before that, but after the runtime has booted, it notes the holder from the second
/// lock on; in code that is compiled with -DROTA_WATCH_LOCKS=1 from the first. The first lock of a
/// mutex of static storage, or of one made before the runtime has booted, costs some nanoseconds
/// more.
class mutex {
  public:
    constexpr mutex() noexcept : state_(first_state()) {}
    /// Ends the process with `fatal error: mutex destroyed while goroutine N waits in it` and
    /// traces of every goroutine if one waits to lock it.
    constexpr ~mutex() {
        if (!std::is_constant_evaluated() && has_waiters()) [[unlikely]]
            report_waiters("mutex");
    }
    mutex(const mutex&) = delete;
    mutex& operator=(const mutex&) = delete;

    /// Locks. Blocks while it is locked; the goroutine may continue on another thread. Go: Lock.
    void lock() {
        // relaxed: a guess, which the exchange confirms
        const std::uint32_t seen = state_.load(std::memory_order_relaxed);
        if ((seen & (locked | starving | watched)) != 0 ||
            !state_.cas(seen, seen | locked, std::memory_order_acquire))  // pairs(mutex.handover)
            lock_slow(seen);
    }

    /// Locks if it can without waiting. Never fails spuriously when the lock is free. Go: TryLock.
    bool try_lock() {
        return state_.cas(0, locked, std::memory_order_acquire) ||
               try_lock_slow();  // pairs(mutex.handover)
    }

    /// Unlocks. Ends the process with `fatal error: sync: unlock of unlocked mutex` if it is not
    /// locked. Go: Unlock.
    void unlock();

  private:
    friend struct rt::lock_view;
    friend class shared_mutex;

    static constexpr std::uint32_t locked = 1, woken = 2, starving = 4, slow = 8, asked = 16,
                                   watched = 32, waiter = 64;
    // The mutex does not know yet whether locks are watched: its first lock asks the runtime.
    static constexpr std::uint32_t untold = slow | watched;
    static constexpr std::uint32_t first_state() noexcept {
#if !defined(ROTA_WATCH_LOCKS)
        if (!std::is_constant_evaluated()) return detail::mutex_state_at_first();
#endif
        return untold;
    }

    // relaxed: a value of some moment; the caller that destroys it must know that it is not in use.
    bool has_waiters() const { return state_.load(std::memory_order_relaxed) >= waiter; }
    void report_waiters(const char* what) const;
    void lock_slow(std::uint32_t seen);
    bool try_lock_slow();
    void unlock_slow();
    std::uint32_t watch_bits() const;
    bool is_watched() const;
    void note_owner() const;
    void forget_owner() const;
    bool contend(std::int64_t& waiting_since, bool& awake, bool& starved, int& spins);
    void leave_fast_mode();
    bool is_calm(std::uint32_t old);

    // bit 0 locked | bit 1 woken: a waiter is awake, wake no further waiter | bit 2 starving | bit
    // 3 slow: every change is a locked instruction | bit 4 asked: a waiter wants to set slow | bit
    // 5 watched: each lock notes its holder; set only with slow | bits 6..31 number of waiters
    atomic<std::uint32_t> state_;
    atomic<std::uint32_t> sema_{0};
    atomic<std::uint8_t> calm_{0};  // unlocks since the last wait; written by the holder of the
                                    // lock
};

}  // namespace rota
