// rota::barrier: a number of goroutines that wait for each other at the end of each phase.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include <rota/detail/atomic.hpp>
#include <rota/detail/bubble_gate.hpp>
#include <rota/detail/wait_list.hpp>

namespace rota {

namespace detail {

struct no_completion {
    void operator()() const noexcept {}
};

// The common part of every barrier: the count of a phase, and the waiters for its end.
class barrier_core {
  public:
    constexpr explicit barrier_core(std::ptrdiff_t expected) noexcept
        : left_(expected), expected_(expected) {
        note_made(this);
    }

    constexpr ~barrier_core() {
        if (!std::is_constant_evaluated() && waiting_.first != nullptr) [[unlikely]]
            report_waiters();
    }
    barrier_core(const barrier_core&) = delete;
    barrier_core& operator=(const barrier_core&) = delete;

    // relaxed: a participant that has not arrived yet keeps the phase from ending.
    std::uint64_t phase() const { return phase_.load(std::memory_order_relaxed); }

    // Returns true if the caller arrived last; it then ends the phase.
    bool arrive(std::ptrdiff_t n) {
        const std::ptrdiff_t left =
            left_.fetch_sub(n, std::memory_order_acq_rel) - n;  // pairs(barrier.arrive)
        if (left < 0 || n <= 0) too_many();
        return left == 0;
    }
    void drop() {
        expected_.fetch_sub(1, std::memory_order_relaxed);  // relaxed: the arrival publishes it
    }
    void end_phase();
    void wait(std::uint64_t phase) const {
        if (phase_.load(std::memory_order_acquire) == phase)  // pairs(barrier.phase)
            wait_slow(phase);
    }

  private:
    void report_waiters() const;
    void wait_slow(std::uint64_t phase) const;
    [[noreturn]] static void too_many();

    atomic<std::ptrdiff_t> left_;  // missing arrivals of this phase: pairs(barrier.arrive)
    atomic<std::ptrdiff_t> expected_;
    atomic<std::uint64_t> phase_{0};  // written under the lock of its address
    mutable wait_list waiting_;       // guarded by the same lock
};

}  // namespace detail

/// A number of goroutines, or threads, that wait for each other at the end of each phase. The last
/// arrival calls `completion`; then every participant continues into the next phase. Meets the
/// requirements of std::barrier.
///
/// It may be destroyed as soon as every wait has returned. Destruction while a goroutine waits ends
/// the process with `fatal error: barrier destroyed while goroutine N waits in it` and traces of
/// every goroutine. Go has no barrier; programs use a sync.WaitGroup for each phase.
template <class Completion = detail::no_completion>
class barrier {
  public:
    /// The result of arrive(), for wait().
    class arrival_token {
      public:
        arrival_token(arrival_token&&) noexcept = default;
        arrival_token& operator=(arrival_token&&) noexcept = default;

      private:
        friend class barrier;
        explicit arrival_token(std::uint64_t phase) : phase_(phase) {}
        std::uint64_t phase_;
    };

    /// A barrier for `expected` arrivals in each phase, from 0 to max().
    constexpr explicit barrier(std::ptrdiff_t expected, Completion completion = Completion())
        : core_(expected), completion_(std::move(completion)) {}
    barrier(const barrier&) = delete;
    barrier& operator=(const barrier&) = delete;

    static constexpr std::ptrdiff_t(max)() noexcept {
        return (std::numeric_limits<std::ptrdiff_t>::max)();
    }

    /// Arrives n times, from 1 to the number of missing arrivals. Does not block. The last arrival
    /// runs the completion, which must not throw. Throws panic_error "rota: more arrivals at a
    /// barrier than it expects".
    [[nodiscard]] arrival_token arrive(std::ptrdiff_t n = 1) {
        arrival_token token(core_.phase());
        if (core_.arrive(n)) end_phase();
        return token;
    }

    /// Blocks until the token's phase has ended; the goroutine may continue on another thread.
    /// Memory effects from before each arrival, and of the completion, are visible afterwards.
    void wait(arrival_token&& token) const { core_.wait(token.phase_); }

    /// wait(arrive()).
    void arrive_and_wait() {
        const std::uint64_t phase = core_.phase();
        if (core_.arrive(1)) end_phase();
        else core_.wait(phase);
    }

    /// Arrives, and removes one arrival from the number expected in later phases.
    void arrive_and_drop() {
        core_.drop();
        if (core_.arrive(1)) end_phase();
    }

  private:
    void end_phase() noexcept {
        completion_();
        core_.end_phase();
    }

    detail::barrier_core core_;
    [[no_unique_address]] Completion completion_;
};

}  // namespace rota
