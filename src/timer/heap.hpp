// A heap of timers: 4-ary, earliest first, one per p. It knows moments and callbacks, never a g.
//
// A 4-ary heap touches half the cache lines of a binary one. The earliest moment is cached in an
// atomic word, so that "is anything due?" costs one load. Whoever adds the new earliest timer is
// told so and owes the sleeping poller a wake-up (time/sleep). Go: runtime/time.go, timers.
#pragma once

#include <cstdint>

#include "base/annotations.hpp"
#include "base/atomic.hpp"
#include "mem/mapped.hpp"
#include "sys/lock.hpp"

namespace rota::rt {

// Lives with whoever waits for it. In a heap until popped; after that the popper calls fire(*this),
// once, and the timer may be gone when that returns.
struct timer {
    std::int64_t when = 0;  // nanotime
    void (*fire)(timer&) = nullptr;
    void* arg = nullptr;
};

class timer_heap {
  public:
    // Adds t. True if it is the earliest now: whoever sleeps until the earliest timer must look
    // again.
    [[nodiscard]] bool add(timer& t) ROTA_EXCLUDES(mu_);

    // Takes the earliest timers that are due at `now`, up to `max`, into `due`; returns how many.
    std::uint32_t pop_due(std::int64_t now, timer** due, std::uint32_t max) ROTA_EXCLUDES(mu_);

    // The earliest moment, 0 if there is none. Exact under the lock, a hint without it; a writer
    // that makes it earlier wakes whoever might have read the old one.
    std::int64_t earliest() const {
        return earliest_.load(memory_order_seq_cst);  // pairs(timer.earliest)
    }
    // As earliest(), for a reader that comes back soon anyway.
    std::int64_t earliest_hint() const { return earliest_.load(memory_order_relaxed); }

    std::uint32_t size() const {
        return count_.load(memory_order_relaxed);
    }  // relaxed: for reports

  private:
    struct entry {
        std::int64_t when;
        timer* t;
    };
    void sift_up(std::size_t i) ROTA_REQUIRES(mu_);
    void sift_down(std::size_t i) ROTA_REQUIRES(mu_);
    void publish() ROTA_REQUIRES(mu_);

    lock mu_{lock_rank::timers};
    mapped_array<entry> entries_ ROTA_GUARDED_BY(mu_);
    atomic<std::int64_t> earliest_{0};  // written under mu_, read by anyone
    atomic<std::uint32_t> count_{0};    // written under mu_, read by anyone
};

}  // namespace rota::rt
