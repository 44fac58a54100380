// Hooks the calls that sleep: nanosleep, usleep, sleep, clock_nanosleep. No signal
// ends the sleep of a goroutine, so the time that is left is always 0.
#include "call.hpp"
#include "export.hpp"

namespace rota::hook {

namespace {

bool is_time(const timespec* t) {
    return t != nullptr && t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < second;
}

std::int64_t ns_of(const timespec& t) {
    return t.tv_sec > hook_no_deadline / second - 1 ? hook_no_deadline
                                                    : t.tv_sec * second + t.tv_nsec;
}

long sleep_parking(call& c, std::int64_t ns) {
    c.sleep_until(later(c.now(), ns));
    return 0;
}

// The wall clock may be set meanwhile, so the sleep is cut into parts of half a second.
long sleep_until_wall_time(call& c, const timespec& until) {
    constexpr std::int64_t look_again = second / 2;
    for (;;) {
        timespec now{};
        ::clock_gettime(CLOCK_REALTIME, &now);
        const std::int64_t left = ns_of(until) - ns_of(now);
        if (left <= 0) return 0;
        c.sleep_until(later(c.now(), left < look_again ? left : look_again));
    }
}

long sleep_by_clock(call& c, clockid_t clock, int flags, const timespec& t) {
    if ((flags & TIMER_ABSTIME) == 0) return sleep_parking(c, ns_of(t));
    if (clock == CLOCK_REALTIME) return sleep_until_wall_time(c, t);
    c.sleep_until(ns_of(t));
    return 0;
}

int hooked_nanosleep(const timespec* t, timespec* left) {
    return make(
        hooked::nanosleep, !is_time(t), [&] { return ROTA_REAL(nanosleep)(t, left); },
        [&](call& c) { return sleep_parking(c, ns_of(*t)); });
}

}  // namespace

}  // namespace rota::hook

using namespace rota::hook;

ROTA_EXPORT int nanosleep(const timespec* t, timespec* left) { return hooked_nanosleep(t, left); }
ROTA_EXPORT int __nanosleep(const timespec* t, timespec* left) { return hooked_nanosleep(t, left); }

ROTA_EXPORT int usleep(useconds_t us) {
    return make(
        hooked::usleep, false, [&] { return ROTA_REAL(usleep)(us); },
        [&](call& c) { return sleep_parking(c, std::int64_t{us} * 1000); });
}

ROTA_EXPORT unsigned sleep(unsigned seconds) {
    return make(
        hooked::sleep, false, [&] { return ROTA_REAL(sleep)(seconds); },
        [&](call& c) { return sleep_parking(c, seconds * second); });
}

// It returns the errno value.
ROTA_EXPORT int clock_nanosleep(clockid_t clock, int flags, const timespec* t, timespec* left) {
    const auto real = [&] { return ROTA_REAL(clock_nanosleep)(clock, flags, t, left); };
    if (!is_time(t) || (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)) return real();
    return make(hooked::clock_nanosleep, false, real,
                [&](call& c) { return sleep_by_clock(c, clock, flags, *t); });
}
