// rota::condition_variable: waiting for a condition that a mutex guards.
#pragma once

#include <cstdint>

#if __has_include(<bits/unique_lock.h>)
#include <bits/unique_lock.h>  // std::unique_lock alone: <mutex> costs four times as much
#else
#include <mutex>
#endif

#include <rota/detail/atomic.hpp>
#include <rota/detail/wait_list.hpp>
#include <rota/sync/mutex.hpp>

namespace rota {

/// Waiting for a condition that a rota::mutex guards. Waiters are woken in the order of their
/// coming, and only by a notification: there are no spurious wake-ups. For goroutines and threads.
///
/// It may be destroyed as soon as every waiter has been notified, also if its wait has not returned
/// yet. Meets the requirements of std::condition_variable. Go: sync.Cond.
///
///     std::unique_lock lock(mu);
///     changed.wait(lock, [&] { return !queue.empty(); });
class condition_variable {
  public:
    constexpr condition_variable() noexcept = default;
    condition_variable(const condition_variable&) = delete;
    condition_variable& operator=(const condition_variable&) = delete;

    /// Wakes the one who has waited for longest, if anybody waits. Does not block. The mutex need
    /// not be locked. Go: Signal.
    void notify_one() noexcept {
        if (anybody_waits()) notify_first();
    }

    /// Wakes all who wait. Go: Broadcast.
    void notify_all() noexcept {
        if (anybody_waits()) notify_every();
    }

    /// Unlocks, blocks until notified, and locks again. A notification that
    /// comes after the unlocking is not lost. Throws panic_error if the lock is not held. Go: Wait.
    void wait(std::unique_lock<mutex>& lock) { wait_for_notice(lock.owns_lock(), lock.mutex()); }

    /// Waits until condition() is true; it is called with the lock held.
    template <class Condition>
    void wait(std::unique_lock<mutex>& lock, Condition condition) {
        while (!condition()) wait(lock);
    }

  private:
    // relaxed: who changed the condition under the mutex comes after the waiter that had entered
    // the list before it let go of the mutex.
    bool anybody_waits() const { return count_.load(std::memory_order_relaxed) != 0; }
    void wait_for_notice(bool locked, mutex* mu);
    void notify_first() noexcept;
    void notify_every() noexcept;

    detail::wait_list waiting_;       // guarded by the lock of its address
    atomic<std::uint32_t> count_{0};  // how many they are; written under the same lock
};

}  // namespace rota
