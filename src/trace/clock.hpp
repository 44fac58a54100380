// The time of events: ticks of the processor where they measure time, else the runtime's clock.
//
// A look at the clock costs some 20 ns, several times what writing an event does; one at the ticks
// less than a third of that. Which of the two it is changes between two generations only, and each
// says what its ticks are in the clock's time. At the end of a generation both are looked at: where
// they have parted, the ticks are not trusted again.
#pragma once

#include <cstdint>

#include "arch/ticks.hpp"
#include "base/annotations.hpp"
#include "sys/clock.hpp"

namespace rota::rt {

// One moment, by both clocks.
struct trace_moment {
    std::uint64_t stamp = 0;  // as events have it
    std::int64_t mono = 0;    // nanotime
};

// What stamps mean to a reader: its time is `offset` more than the stamp, and so many a second.
struct trace_scale {
    std::uint64_t offset = 0;
    std::uint64_t frequency = 1'000'000'000;
};

class trace_clock_t {
  public:
    constexpr trace_clock_t() = default;

    // Decides, once in the life of the process, whether ticks may be used. Caller of this and of
    // the next ones: who sees to the trace, one at a time.
    void choose();
    // The present moment, by the clock of the running generation.
    trace_moment look() const;
    // The next generation's clock, given the end of the one before. With the world stopped.
    trace_moment advance(const trace_moment& now);
    bool uses_ticks() const { return uses_ticks_; }
    // For how many more ns the ticks must be watched until their rate is known; 0: it is.
    std::int64_t watch_ns();
    // The rate must be known.
    trace_scale scale(bool of_ticks) const;

    // Any writer of events.
    ROTA_ALWAYS_INLINE std::uint64_t now() const {
        if (ROTA_LIKELY(uses_ticks_)) return processor_ticks() >> tick_shift;
        return static_cast<std::uint64_t>(nanotime());
    }

  private:
    bool have_parted(const trace_moment& then, const trace_moment& now) const;
    std::uint64_t ns_of(std::uint64_t stamp) const;

    bool uses_ticks_ = false;  // changes with the world stopped
    bool is_chosen_ = false;
    bool has_base_ = false;
    std::uint64_t frequency_ = 0;  // 0: not yet known
    std::uint64_t offset_ = 0;     // of the clock's time, behind ticks that ran ahead
    trace_moment base_;            // when the ticks were first used
    trace_moment last_;            // when they were last looked at
};
inline constinit trace_clock_t trace_clock;

inline std::uint64_t trace_now() { return trace_clock.now(); }

}  // namespace rota::rt
