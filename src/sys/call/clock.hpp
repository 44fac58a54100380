// The runtime's clock: CLOCK_MONOTONIC in nanoseconds. Every read goes through nanotime(), so that
// a test can replace the clock.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"

namespace rota::rt {

// Time for runs that must be repeatable. It passes when the test says so, and a little with every
// read, so that a thread that polls the clock reaches its moment. relaxed, each: one thread at a
// time.
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

// Nanoseconds since a fixed moment; never goes back, never 0.
std::int64_t nanotime();

// nanotime() for pure measurements: a read that does not let virtual time pass.
inline std::int64_t nanotime_unseen() {
    return virtual_clock.on() ? virtual_clock.peek() : nanotime();
}

}  // namespace rota::rt
