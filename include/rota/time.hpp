// Time: the runtime's clock, and sleeping on it.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>

namespace rota {

namespace detail {
std::int64_t clock_now() noexcept;       // nanoseconds
void sleep_until_ns(std::int64_t when);  // of clock_now()

// Nanoseconds of d, rounded up; the largest or smallest value where d is out of range.
template <class Rep, class Period>
constexpr std::int64_t saturated_ns(std::chrono::duration<Rep, Period> d) {
    using ns = std::chrono::duration<long double, std::nano>;
    const long double exact = std::chrono::duration_cast<ns>(d).count();
    if (exact >= 9.2e18L) return std::numeric_limits<std::int64_t>::max();
    if (exact <= -9.2e18L) return std::numeric_limits<std::int64_t>::min();
    const auto whole = static_cast<std::int64_t>(exact);
    return static_cast<long double>(whole) < exact ? whole + 1 : whole;
}

constexpr std::int64_t saturated_add(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    if (!__builtin_add_overflow(a, b, &sum)) return sum;
    return b > 0 ? std::numeric_limits<std::int64_t>::max()
                 : std::numeric_limits<std::int64_t>::min();
}
}  // namespace detail

/// The runtime's clock: steady, in nanoseconds.
struct clock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<clock>;
    static constexpr bool is_steady = true;
    static time_point now() noexcept { return time_point(duration(detail::clock_now())); }
};

/// Sleeps until `when` or a little later; returns at once if that has passed. Blocks the goroutine,
/// not the thread; it may go on on another thread.
inline void sleep_until(clock::time_point when) {
    detail::sleep_until_ns(when.time_since_epoch().count());
}

/// Sleeps for at least d. Zero and negative durations return at once; one beyond the clock's range
/// (292 years) sleeps for ever. Go: time.Sleep.
template <class Rep, class Period>
void sleep_for(std::chrono::duration<Rep, Period> d) {
    const std::int64_t ns = detail::saturated_ns(d);
    if (ns > 0) detail::sleep_until_ns(detail::saturated_add(detail::clock_now(), ns));
}

}  // namespace rota
