// Delays at the runtime's schedule points, in builds that have them (preset model).
//
// A schedule point stands where another thread may come in between two steps of the core. In a
// build with ROTA_MODEL each calls a hook; this one lets the thread yield, spin or sleep for a
// moment there, now and then, so that interleavings come up that an undisturbed machine shows once
// in a million runs. In other builds nothing of this exists.
#pragma once

#if defined(ROTA_MODEL)

#include <cstdint>
#include <ctime>

#include <sched.h>
#include <rota/detail/sched_point.hpp>

namespace rota_test {

// Called on any stack, under any lock: it allocates nothing and calls nothing of rota.
inline void perturb(rota::detail::point) {
    static thread_local std::uint32_t state = 0;
    if (state == 0) {
        timespec now{};
        ::clock_gettime(CLOCK_MONOTONIC, &now);
        state = static_cast<std::uint32_t>(now.tv_nsec) | 1u;
    }
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    const std::uint32_t draw = state >> 8;
    if (draw % 32 == 0) {
        ::sched_yield();
    } else if (draw % 101 == 0) {
        for (std::uint32_t i = draw % 4000; i > 0; --i) asm volatile("");
    } else if (draw % 4001 == 0) {
        const timespec moment{0, static_cast<long>(draw % 200'000)};
        ::nanosleep(&moment, nullptr);
    }
}

inline const bool perturbed = [] {
    rota::detail::sched_point_hook = perturb;
    return true;
}();

}  // namespace rota_test

#endif
