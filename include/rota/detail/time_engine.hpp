// The untyped half of rota's time: moments are nanoseconds of one clock, and a timer is a block
// that holds either a channel that the clock feeds or a closure that it calls.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <rota/detail/chan_engine.hpp>

namespace rota::detail {

std::int64_t clock_now() noexcept;       // nanoseconds
void sleep_until_ns(std::int64_t when);  // of clock_now()
void sleep_for_ns(std::int64_t ns);      // <= 0: returns at once

inline constexpr std::int64_t ns_max = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t ns_min = std::numeric_limits<std::int64_t>::min();

// Nanoseconds of d, rounded up; the largest or smallest value where d is out of range; 0 for what
// is not a number.
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

// A timer's block. Its references are counted; each function below but the makers takes one that
// the caller has.
struct timer_block;

// A started timer that sends the time into a channel of its own, once or every `ns`. One reference,
// which is one of the channel's as well: when nobody can receive any more, the timer goes.
timer_block* chan_timer_new(std::int64_t ns, bool periodic);

// The timer's channel, without a reference; null for a timer that calls.
hchan* timer_channel(timer_block* b) noexcept;

// What a timer that calls is made of: func_timer_begin gives the place for a closure, of whatever
// alignment `operator new` gives; after its construction follows start, otherwise abort.
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

// True: the timer was running, and what it would have sent or called will not come. Null: throws
// panic_error.
bool timer_stop(timer_block* b);
bool timer_reset(timer_block* b, std::int64_t ns);
// As timer_stop and timer_reset. Null: stop does nothing. ns <= 0: throws panic_error.
void ticker_stop(timer_block* b);
void ticker_reset(timer_block* b, std::int64_t ns);
[[noreturn]] void panic_ticker_interval();

}  // namespace rota::detail
