// rota::wait_group: waits for a number of goroutines to finish.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include <rota/detail/atomic.hpp>
#include <rota/detail/bubble_gate.hpp>
#include <rota/detail/local_slots.hpp>
#include <rota/detail/spawn.hpp>

namespace rota::detail {
class task_group;
}

namespace rota {

/// Counts work in progress; wait() blocks until the count is zero. 16 bytes, for goroutines and
/// threads.
///
/// It may be destroyed, or used again, as soon as every wait has returned. Go: sync.WaitGroup.
///
///     rota::wait_group wg;
///     for (int i = 0; i < 3; ++i) wg.go([i] { work(i); });
///     wg.wait();
class wait_group {
  public:
    constexpr wait_group() noexcept { detail::note_made(this); }
    /// Ends the process with `fatal error: wait_group destroyed while goroutine N waits in it` and
    /// traces of every goroutine if one waits in it.
    constexpr ~wait_group() {
        if (!std::is_constant_evaluated() && has_waiters()) [[unlikely]]
            report_waiters("wait_group");
    }
    wait_group(const wait_group&) = delete;
    wait_group& operator=(const wait_group&) = delete;

    /// Adds n, which may be negative, to the count; at zero every waiter continues. An add to a
    /// count of zero must happen before the wait. Throws panic_error "sync: negative WaitGroup
    /// counter", and "sync: WaitGroup misuse: Add called concurrently with Wait" if it detects
    /// that. Go: Add.
    void add(int n) {
        if (detail::does_a_bubble_live()) [[unlikely]]
            note_add();
        const std::uint64_t by = static_cast<std::uint64_t>(static_cast<std::int64_t>(n)) << 32;
        const std::uint64_t now =
            state_.fetch_add(by, std::memory_order_acq_rel) + by;  // pairs(wait_group.zero)
        if (static_cast<std::int32_t>(now >> 32) <= 0 || (now & waiters_mask) != 0) settle(now, n);
    }

    /// Subtracts one. Go: Done.
    void done() { add(-1); }

    /// Blocks until the count is zero; the goroutine may continue on another thread. Throws
    /// panic_error "sync: WaitGroup is reused before previous Wait has returned" if it detects
    /// that. Memory effects from before the last done() are visible afterwards. Go: Wait.
    void wait() {
        if (static_cast<std::int32_t>(state_.load(std::memory_order_acquire) >> 32) != 0)
            wait_slow();  // pairs(wait_group.zero)
    }

    /// Runs f in a goroutine counted by this group. The goroutine counts as done when f has ended,
    /// normally or not, and its rota::local values are destroyed. Throws as rota::go. Go: Go.
    template <class F>
    [[gnu::always_inline]] void go(F&& f) {
        if (detail::is_nil(f)) detail::fatal_nil_func();
        add(1);
        struct finish {
            wait_group* group;
            ~finish() { group->done(); }
        };
        try {
            constexpr bool is_address = detail::is_address<std::decay_t<F>>;
            detail::spawn_as<is_address>(0, {}, [f = std::forward<F>(f), this]() mutable {
                const finish at_end{this};
                const detail::locals_end before_it_is_told;
                // Destroys f's captures before the waiter continues, as with a joined thread.
                std::decay_t<F> own(std::move(f));
                std::move(own)();
            });
        } catch (...) {
            done();
            throw;
        }
    }

  private:
    friend class detail::task_group;
    static constexpr std::uint64_t waiters_mask = 0xffffffff;

    // relaxed: a value of some moment; orders nothing.
    std::int32_t count() const {
        return static_cast<std::int32_t>(state_.load(std::memory_order_relaxed) >> 32);
    }
    // relaxed: a value of some moment.
    bool has_waiters() const {
        return (state_.load(std::memory_order_relaxed) & waiters_mask) != 0;
    }
    void report_waiters(const char* what) const;
    void note_add();
    void settle(std::uint64_t now, int n);
    void wait_slow();

    // bits 32..63 the count, signed | bits 0..31 number of waiters
    atomic<std::uint64_t> state_{0};
    atomic<std::uintptr_t> waiting_{0};  // the list of sleeping waiters
};

}  // namespace rota
