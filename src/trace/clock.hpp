// The clock of trace events: processor ticks where they measure time, else the runtime's clock.
//
// A read of the clock costs about 20 ns, several times the cost of writing an event. A read of the
// ticks costs less than a third of that. The source changes only between two generations, and each
// generation states what its ticks are in clock time. At the end of a generation both sources are
// read. If they disagree, the ticks are not trusted again.
#pragma once

#include <cstdint>

#include "arch/ticks.hpp"
#include "base/annotations.hpp"
#include "sys/call/clock.hpp"

namespace rota::rt {

// One moment, by both clocks.
struct trace_moment {
    std::uint64_t stamp = 0;  // as events have it
    std::int64_t mono = 0;    // nanotime
};

// What a reader adds to a stamp to get its time (`offset`), and the number of stamps per second.
struct trace_scale {
    std::uint64_t offset = 0;
    std::uint64_t frequency = 1'000'000'000;
};

class trace_clock_t {
  public:
    constexpr trace_clock_t() = default;

    // Decides, once in the life of the process, whether ticks may be used. Caller of this function
    // and of the next ones: the goroutine that drives the trace, one call at a time.
    void choose();
    // The present moment, by the clock of the running generation.
    trace_moment look() const;
    // Returns the next generation's first moment, given the end of the previous generation.
    // Caller: the world is stopped.
    trace_moment advance(const trace_moment& now);
    bool uses_ticks() const { return uses_ticks_; }
    // ns for which the ticks must be watched until their rate is known; 0: the rate is known.
    std::int64_t watch_ns();
    // Caller: the rate of the ticks is known.
    trace_scale scale(bool of_ticks) const;

    // Caller: any writer of events.
    ROTA_ALWAYS_INLINE std::uint64_t now() const {
        if (ROTA_LIKELY(uses_ticks_)) return processor_ticks() >> tick_shift;
        return static_cast<std::uint64_t>(nanotime());
    }

  private:
    bool have_parted(const trace_moment& then, const trace_moment& now) const;
    std::uint64_t ns_of(std::uint64_t stamp) const;

    bool uses_ticks_ = false;  // written with the world stopped
    bool is_chosen_ = false;
    bool has_base_ = false;
    std::uint64_t frequency_ = 0;  // ticks per second; 0: not known yet
    std::uint64_t offset_ = 0;     // of the clock's time, added after ticks that ran ahead
    trace_moment base_;            // the moment when the ticks were first used
    trace_moment last_;            // the moment of the last comparison with the clock
};
inline constinit trace_clock_t trace_clock;

inline std::uint64_t trace_now() { return trace_clock.now(); }

}  // namespace rota::rt
