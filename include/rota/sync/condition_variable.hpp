// rota::condition_variable: waits for a condition that a mutex guards.
#pragma once

#include <condition_variable>  // std::cv_status
#include <cstdint>

#if __has_include(<bits/unique_lock.h>)
#include <bits/unique_lock.h>  // std::unique_lock alone: <mutex> costs four times as much
#else
#include <mutex>
#endif

#include <rota/detail/atomic.hpp>
#include <rota/detail/bubble_gate.hpp>
#include <rota/detail/deadline.hpp>
#include <rota/detail/wait_list.hpp>
#include <rota/sync/mutex.hpp>

namespace rota {

/// Waits for a condition that a rota::mutex guards. Waiters are woken in order of arrival, and only
/// by a notification: there are no spurious wake-ups. For goroutines and threads.
///
/// It may be destroyed as soon as every waiter has been notified, also if its wait has not returned
/// yet. Meets the requirements of std::condition_variable. Go: sync.Cond.
///
///     std::unique_lock lock(mu);
///     changed.wait(lock, [&] { return !queue.empty(); });
class condition_variable {
  public:
    constexpr condition_variable() noexcept { detail::note_made(this); }
    /// Ends the process with `fatal error: condition_variable destroyed while goroutine N waits in
    /// it` and traces of every goroutine if a waiter has not been notified.
    constexpr ~condition_variable() {
        if (!std::is_constant_evaluated() && anybody_waits()) [[unlikely]]
            report_waiters();
    }
    condition_variable(const condition_variable&) = delete;
    condition_variable& operator=(const condition_variable&) = delete;

    /// Wakes the waiter that has waited longest, if there is one. Does not block. The mutex need
    /// not be locked. Go: Signal.
    void notify_one() noexcept {
        if (anybody_waits()) wake(false);
    }

    /// Wakes every waiter. Go: Broadcast.
    void notify_all() noexcept {
        if (anybody_waits()) wake(true);
    }

    /// Unlocks, blocks until notified, and locks again; the goroutine may continue on another
    /// thread. A notification that comes after the unlocking is not lost. Throws panic_error if the
    /// lock is not held. Go: Wait.
    void wait(std::unique_lock<mutex>& lock) {
        (void)wait_for_notice(lock.owns_lock(), lock.mutex(), detail::ns_max);
    }

    /// Waits until condition() is true; calls condition with the lock held.
    template <class Condition>
    void wait(std::unique_lock<mutex>& lock, Condition condition) {
        while (!condition()) wait(lock);
    }

    /// As wait, for at most d, or until `when`. no_timeout: the waiter was notified. A notification
    /// given to a waiter is never lost; one that comes after its time limit goes to the next
    /// waiter. The moment of another clock than rota's is translated when the wait begins.
    template <class Rep, class Period>
    std::cv_status wait_for(std::unique_lock<mutex>& lock, std::chrono::duration<Rep, Period> d) {
        return status(wait_for_notice(lock.owns_lock(), lock.mutex(), detail::deadline_after(d)));
    }
    template <class Clock, class Duration>
    std::cv_status wait_until(std::unique_lock<mutex>& lock,
                              std::chrono::time_point<Clock, Duration> when) {
        return status(wait_for_notice(lock.owns_lock(), lock.mutex(), detail::deadline_at(when)));
    }

    /// Waits until condition() is true, for at most d, or until `when`; returns condition().
    template <class Rep, class Period, class Condition>
    bool wait_for(std::unique_lock<mutex>& lock, std::chrono::duration<Rep, Period> d,
                  Condition condition) {
        return wait_until_true(lock, detail::deadline_after(d), condition);
    }
    template <class Clock, class Duration, class Condition>
    bool wait_until(std::unique_lock<mutex>& lock, std::chrono::time_point<Clock, Duration> when,
                    Condition condition) {
        return wait_until_true(lock, detail::deadline_at(when), condition);
    }

  private:
    static std::cv_status status(bool notified) {
        return notified ? std::cv_status::no_timeout : std::cv_status::timeout;
    }
    template <class Condition>
    bool wait_until_true(std::unique_lock<mutex>& lock, std::int64_t deadline,
                         Condition& condition) {
        while (!condition()) {
            if (!wait_for_notice(lock.owns_lock(), lock.mutex(), deadline)) return condition();
        }
        return true;
    }

    // relaxed: a notifier that changed the condition under the mutex locked the mutex after the
    // waiter had unlocked it, and the waiter enters the list before it unlocks.
    bool anybody_waits() const { return occupied_.load(std::memory_order_relaxed); }
    void report_waiters() const;
    void note_occupied();
    bool wait_for_notice(bool locked, mutex* mu, std::int64_t deadline);
    void wake(bool all) noexcept;

    detail::wait_list waiting_;     // guarded by the lock of its address
    atomic<bool> occupied_{false};  // the list may be non-empty; written under the same lock
};

}  // namespace rota
