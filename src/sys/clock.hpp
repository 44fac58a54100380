// The runtime's clock: CLOCK_MONOTONIC in nanoseconds. Behind this one function a test may put
// another.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"

namespace rota::rt {

// Time for runs that are to repeat themselves. It passes by being told to, and a little with every
// look, so that who waits for a moment by looking gets there. relaxed, all: one thread at a time.
class virtual_clock_t {
  public:
    bool on() const { return on_; }
    void start(std::int64_t moment) {
        if (!on_) on_ = true;
        now_.store(moment, memory_order_relaxed);
    }
    void advance(std::int64_t ns) { now_.fetch_add(ns, memory_order_relaxed); }
    void leap_to(std::int64_t moment) {
        if (peek() < moment) now_.store(moment, memory_order_relaxed);
    }
    std::int64_t peek() const { return now_.load(memory_order_relaxed); }
    std::int64_t look() { return now_.fetch_add(a_look, memory_order_relaxed) + a_look; }

  private:
    static constexpr std::int64_t a_look = 50;
    bool on_ = false;  // written at boot, before there is another thread
    atomic<std::int64_t> now_{0};
};
inline constinit virtual_clock_t virtual_clock;

// Nanoseconds since some fixed moment; never goes back, never 0.
std::int64_t nanotime();

// The same for who only measures: virtual time does not pass by it.
inline std::int64_t nanotime_unseen() {
    return virtual_clock.on() ? virtual_clock.peek() : nanotime();
}

}  // namespace rota::rt
