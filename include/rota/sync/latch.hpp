// rota::latch: a count that goes down to zero once, and blocks its waiters until then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <rota/detail/atomic.hpp>
#include <rota/detail/bubble_gate.hpp>

namespace rota {

/// Counts down from a number. wait() blocks until the count is zero, and never again. 16 bytes, for
/// goroutines and threads. Meets the requirements of std::latch.
///
/// It may be destroyed as soon as every wait has returned, or, without waits, as soon as the last
/// count_down has returned. Go: a sync.WaitGroup that is used once.
class latch {
  public:
    /// A latch that counts down from `expected`, from 0 to max(); at 0 it is open at once.
    constexpr explicit latch(std::ptrdiff_t expected) noexcept
        : count_(expected), waiting_(expected == 0 ? open : 0) {
        detail::note_made(this);
    }
    /// Ends the process with `fatal error: latch destroyed while goroutine N waits in it` and
    /// traces of every goroutine if one waits in it.
    constexpr ~latch() {
        if (std::is_constant_evaluated()) return;
        // relaxed: a value of some moment. A pointer means that a waiter sleeps.
        const std::uintptr_t seen = waiting_.load(std::memory_order_relaxed);
        if (seen != 0 && (seen & 1) == 0) [[unlikely]]
            report_waiters();
    }
    latch(const latch&) = delete;
    latch& operator=(const latch&) = delete;

    static constexpr std::ptrdiff_t(max)() noexcept {
        return (std::numeric_limits<std::ptrdiff_t>::max)();
    }

    /// Counts down by n, from 0 to the remaining count; at zero every waiter continues. Does not
    /// block. Throws panic_error "rota: latch counted below zero".
    void count_down(std::ptrdiff_t n = 1) {
        if (n == 0) return;
        const std::ptrdiff_t left =
            count_.fetch_sub(n, std::memory_order_acq_rel) - n;  // pairs(latch.count)
        if (left <= 0 || n < 0) settle(left, n);
    }

    /// Whether the count is zero. Never fails spuriously.
    bool try_wait() const noexcept {
        return waiting_.load(std::memory_order_acquire) == open;  // pairs(waiters.open)
    }

    /// Blocks until the count is zero; the goroutine may continue on another thread. Memory effects
    /// from before each count_down are visible afterwards.
    void wait() const {
        if (!try_wait()) wait_slow();
    }

    /// count_down(n), then wait().
    void arrive_and_wait(std::ptrdiff_t n = 1) {
        count_down(n);
        wait();
    }

  private:
    static constexpr std::uintptr_t open = ~std::uintptr_t{0};

    void report_waiters() const;
    void settle(std::ptrdiff_t left, std::ptrdiff_t n);
    void wait_slow() const;

    atomic<std::ptrdiff_t> count_;            // each count_down publishes its caller's writes:
                                              // pairs(latch.count)
    mutable atomic<std::uintptr_t> waiting_;  // the list of sleeping waiters, or open
};

}  // namespace rota
