// rota::counting_semaphore and rota::binary_semaphore: permits that callers take and give back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <rota/detail/atomic.hpp>
#include <rota/detail/bubble_gate.hpp>
#include <rota/detail/deadline.hpp>
#include <rota/detail/wait_list.hpp>

namespace rota {

namespace detail {

// The common part of every semaphore.
class semaphore_core {
  public:
    constexpr explicit semaphore_core(std::ptrdiff_t permits) noexcept
        : word_(static_cast<std::uint64_t>(permits) << 1) {
        note_made(this);
    }

    constexpr ~semaphore_core() {
        // relaxed: a value of some moment. A waiter may be in the list.
        if (!std::is_constant_evaluated() && word_.load(std::memory_order_relaxed) == 1)
            [[unlikely]]
            report_waiters();
    }
    semaphore_core(const semaphore_core&) = delete;
    semaphore_core& operator=(const semaphore_core&) = delete;

    bool try_take() {
        std::uint64_t seen =
            word_.load(std::memory_order_relaxed);  // relaxed: the exchange synchronises
        while (seen > 1) {
            if (word_.compare_exchange(seen, seen - 2,
                                       std::memory_order_acquire,  // pairs(semaphore.permit)
                                       std::memory_order_relaxed))
                return true;
        }
        return false;
    }
    void take() {
        if (!try_take()) (void)take_until(ns_max);
    }
    bool try_take_until(std::int64_t deadline) { return try_take() || take_until(deadline); }
    void give(std::ptrdiff_t n, std::ptrdiff_t max);

  private:
    void report_waiters() const;
    bool take_until(std::int64_t deadline);
    void give_to_waiters(std::ptrdiff_t n);

    // bits 1..63 permits | bit 0: a waiter may be in the list, and every give checks the list; set
    // only while there are no permits
    atomic<std::uint64_t> word_;
    wait_list waiting_;  // guarded by the lock of its address
};

}  // namespace detail

/// A number of permits. acquire() takes one, and waits for it in the order of arrival. release()
/// gives permits, first to the goroutines that wait. 24 bytes, for goroutines and threads; any of
/// them may release.
///
/// It may be destroyed as soon as every acquire has returned and every release has been called.
/// Destruction while a goroutine waits ends the process with `fatal error: semaphore destroyed
/// while goroutine N waits in it` and traces of every goroutine.
/// Meets the requirements of std::counting_semaphore. Go: a buffered channel, or
/// golang.org/x/sync/semaphore with weight 1.
template <std::ptrdiff_t LeastMax = (std::numeric_limits<std::ptrdiff_t>::max)() / 2>
class counting_semaphore {
    static_assert(LeastMax >= 0, "a semaphore has room for no permits or more");
    static_assert(LeastMax <= (std::numeric_limits<std::ptrdiff_t>::max)() / 2,
                  "a semaphore counts to half of what std::ptrdiff_t holds");

  public:
    /// A semaphore that starts with `permits` permits, from 0 to max().
    constexpr explicit counting_semaphore(std::ptrdiff_t permits) noexcept : core_(permits) {}
    counting_semaphore(const counting_semaphore&) = delete;
    counting_semaphore& operator=(const counting_semaphore&) = delete;

    /// The maximum number of permits: LeastMax.
    static constexpr std::ptrdiff_t(max)() noexcept { return LeastMax; }

    /// Takes a permit. Blocks while there is none; the goroutine may continue on another thread.
    /// Memory effects from before the release() that gave the permit are visible afterwards.
    void acquire() { core_.take(); }

    /// Takes a permit if there is one. Never fails spuriously.
    bool try_acquire() { return core_.try_take(); }

    /// Takes a permit, waiting for it for at most d, or until `when`. False: no permit was
    /// available in that time. A permit that was given is never lost. Blocks as acquire().
    template <class Rep, class Period>
    bool try_acquire_for(std::chrono::duration<Rep, Period> d) {
        return core_.try_take() || core_.try_take_until(detail::deadline_after(d));
    }
    template <class Clock, class Duration>
    bool try_acquire_until(std::chrono::time_point<Clock, Duration> when) {
        return core_.try_take() || core_.try_take_until(detail::deadline_at(when));
    }

    /// Gives n permits. Does not block. Throws panic_error "rota: release of a semaphore beyond its
    /// maximum" if n is negative or there would be more than max().
    void release(std::ptrdiff_t n = 1) { core_.give(n, LeastMax); }

  private:
    detail::semaphore_core core_;
};

/// A semaphore with at most one permit.
using binary_semaphore = counting_semaphore<1>;

}  // namespace rota
