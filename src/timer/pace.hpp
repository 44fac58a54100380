// Decides when due timers of a heap are run: at once, or in a batch with the next timers.
//
// A batch costs a wake-up where the processor is idle, so batches are `gap_ns` apart as a rule. A
// batch of `storm` timers or more makes a storm: the next batch comes at a multiple of `storm_ns`,
// the same moment for every heap. A timer set for less than `short_ns` ahead would wait for a batch
// longer than for its own moment. Outside of a storm it runs at its moment.
//
//     set ──► note_set ──► due ──► begin_batch ── heap's pop_due ──► end_batch
//
// So an endless loop of short sleeps costs as many wake-ups as a thread's loop. A short periodic
// timer counts only while its ticks ready goroutines: without a receiver, it would keep an idle
// processor busy.
//
// Rejected: a slack for each entry of the heap, as hrtimers have. It delays a timer that comes
// alone, and storms need multiples of one period anyway.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/atomic.hpp"

namespace rota::rt {

class timer_pace {
  public:
    static constexpr std::int64_t gap_ns = 250'000, storm_ns = 500'000, short_ns = 2 * gap_ns;
    static constexpr std::uint32_t storm = 8;
    // So many timers in `gap_ns` are a storm as well, unless a few timers come due again and again.
    static constexpr std::uint32_t storm_in_gap = 2 * storm;

    // When timers that are due at `when` are to be run. A hint: see run_at_ordered.
    std::int64_t run_at(std::int64_t when) const {
        return std::max(when, not_before_.load(memory_order_relaxed));
    }
    // The same for the m that is about to sleep until then. A thread that sets a timer lowers the
    // moment, then checks whether an m sleeps too long; the sleeper announces its sleep, then reads
    // the moment. One of the two sees the other.
    std::int64_t run_at_ordered(std::int64_t when) const {
        return std::max(when, not_before_.load(memory_order_seq_cst));  // pairs(timer.earliest)
    }
    // When the last batch began.
    std::int64_t ran_at() const { return ran_at_.load(memory_order_relaxed); }

    // A timer has been set, due at `when`. True: the batch comes earlier than planned, at `when`,
    // and the poller must hear of it. Caller: the thread that sets it, under the heap's lock.
    [[nodiscard]] bool note_set(std::int64_t when) {
        // Reads no clock: less than short_ns after the last batch is less than that from now.
        if (when - ran_at() >= short_ns || is_storm_.load(memory_order_relaxed)) return false;
        if (when > short_until_.load(memory_order_relaxed))
            short_until_.store(when, memory_order_relaxed);
        if (when >= not_before_.load(memory_order_relaxed)) return false;
        not_before_.store(when, memory_order_seq_cst);  // pairs(timer.earliest)
        return true;
    }

    // A periodic timer has come due, and comes due again at `when`. Caller: pop_due, under the
    // heap's lock.
    void note_tick(std::int64_t when, std::int64_t period) {
        if (period < short_ns && when > ticks_until_.load(memory_order_relaxed))
            ticks_until_.store(when, memory_order_relaxed);
    }

    // Called around each batch. `left`: timers still in the heap. `has_readied`: the batch has made
    // goroutines runnable. Caller: the m that runs the batch, without the heap's lock. Of two
    // batches at once either may be the one that counts.
    void begin_batch(std::int64_t now) {
        ran_at_.store(now, memory_order_relaxed);
        not_before_.store(now + gap_ns, memory_order_relaxed);
    }
    void end_batch(std::int64_t now, std::uint32_t count, std::uint32_t left, bool has_readied);

    // The next batch need not wait.
    void forget_gap() { not_before_.store(0, memory_order_relaxed); }

  private:
    // relaxed, except the pairs above: the values space batches out, and a lost value costs a gap.
    // --- written by threads that set or run timers, read by any thread -----------------
    atomic<std::int64_t> ran_at_{0};       // nanotime: start of the last batch
    atomic<std::int64_t> not_before_{0};   // nanotime: the next batch
    atomic<std::int64_t> short_until_{0};  // nanotime: the latest moment of a short timer
    atomic<std::int64_t> ticks_until_{0};  // nanotime: the next tick of a short periodic timer
    // --- written by the m that runs timers --------------------------------------------------
    atomic<std::int64_t> window_at_{0};   // nanotime: start of the count
    atomic<std::uint32_t> in_window_{0};  // timers that have been run since then
    atomic<bool> is_storm_{false};
};

}  // namespace rota::rt
