// The untyped half of rota's time: a moment is a number of nanoseconds of one clock, and a timer is
// a block that holds either a channel that the clock feeds or a closure that it calls.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <rota/detail/chan_engine.hpp>

namespace rota::detail {

std::int64_t clock_now() noexcept;       // nanoseconds
void sleep_until_ns(std::int64_t when);  // moment in ns of clock_now()
void sleep_for_ns(std::int64_t ns);      // <= 0: returns at once

inline constexpr std::int64_t ns_max = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t ns_min = std::numeric_limits<std::int64_t>::min();

// Nanoseconds of d, rounded up. The largest or smallest value if d is out of range; 0 for NaN.
template <class Rep, class Period>
constexpr std::int64_t saturated_ns(std::chrono::duration<Rep, Period> d) {
    using unit = std::ratio_divide<Period, std::nano>;
    if constexpr (std::is_integral_v<Rep>) {
        __extension__ using wide = __int128;
        wide ns = 0;
        if (__builtin_mul_overflow(static_cast<wide>(d.count()), static_cast<wide>(unit::num), &ns))
            return d.count() > 0 ? ns_max : ns_min;
        if constexpr (unit::den != 1) {
            const wide down = ns / unit::den;
            ns = down + (ns > down * unit::den ? 1 : 0);
        }
        if (ns > ns_max) return ns_max;
        return ns < ns_min ? ns_min : static_cast<std::int64_t>(ns);
    } else {
        using ns = std::chrono::duration<long double, std::nano>;
        const long double exact = std::chrono::duration_cast<ns>(d).count();
        if (exact != exact) return 0;
        if (exact >= 9.2e18L) return ns_max;
        if (exact <= -9.2e18L) return ns_min;
        const auto whole = static_cast<std::int64_t>(exact);
        return static_cast<long double>(whole) < exact ? whole + 1 : whole;
    }
}

constexpr std::int64_t saturated_add(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    if (!__builtin_add_overflow(a, b, &sum)) return sum;
    return b > 0 ? ns_max : ns_min;
}

// A timer's block, reference-counted. Each function below, except the makers, requires that the
// caller holds a reference.
struct timer_block;

// Returns a started timer that sends the time into a channel of its own, once or every `ns`. It has
// one reference, which is a reference on the channel as well: when no receiver can exist any more,
// the timer is released.
timer_block* chan_timer_new(std::int64_t ns, bool periodic);

// The timer's channel, without a reference; null for a timer that calls a function.
hchan* timer_channel(timer_block* b) noexcept;

// A timer that calls a closure. func_timer_begin returns the place for the closure, aligned as
// `operator new` aligns. After its construction the caller calls start, or abort if it fails.
struct closure_ops {
    void (*call)(void* closure);
    void (*destroy)(void* closure) noexcept;
};
struct func_timer_place {
    timer_block* block;
    void* closure;
};
func_timer_place func_timer_begin(std::size_t size, const closure_ops& ops);
void func_timer_start(timer_block* b, std::int64_t ns);
void func_timer_abort(timer_block* b) noexcept;

void timer_retain(timer_block* b) noexcept;
void timer_release(timer_block* b) noexcept;

// True: the timer was running, and this call prevents its pending send or call. A null b: throws
// panic_error.
bool timer_stop(timer_block* b);
bool timer_reset(timer_block* b, std::int64_t ns);
// As timer_stop and timer_reset. A null b: ticker_stop has no effect. ns <= 0: throws panic_error.
void ticker_stop(timer_block* b);
void ticker_reset(timer_block* b, std::int64_t ns);
[[noreturn]] void panic_ticker_interval();

}  // namespace rota::detail
