// Converts time limits of waits into moments of the runtime's clock, in nanoseconds.
#pragma once

#include <chrono>
#include <cstdint>
#include <type_traits>

#include <rota/detail/time_engine.hpp>

namespace rota {
struct clock;
}

namespace rota::detail {

// The moment d from the call; ns_max if that is beyond the clock's range.
template <class Rep, class Period>
std::int64_t deadline_after(std::chrono::duration<Rep, Period> d) {
    return saturated_add(clock_now(), saturated_ns(d));
}

// Converts a moment of any clock. A moment of another clock than rota's is translated once, by this
// call, and not again if that clock is set.
template <class Clock, class Duration>
std::int64_t deadline_at(std::chrono::time_point<Clock, Duration> when) {
    if constexpr (std::is_same_v<Clock, clock>) {
        return saturated_ns(when.time_since_epoch());
    } else {
        const auto now = Clock::now();
        return when <= now ? ns_min : deadline_after(when - now);
    }
}

}  // namespace rota::detail
