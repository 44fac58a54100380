// Waiting until a goroutine has gone to sleep: the public counters tell.
#pragma once

#include <cstdint>

#include "anywhere.hpp"

namespace rota_test {

inline std::uint64_t parks_so_far() { return rota::runtime::read_sched_stats().parks; }

// Starts f in a goroutine and waits until a goroutine has parked: f, where nothing else does. A
// goroutine is counted only when it already stands in the wait list.
template <class F>
[[nodiscard]] bool go_and_park(F f) {
    const std::uint64_t before = parks_so_far();
    rota::go(std::move(f));
    return eventually([before] { return parks_so_far() > before; });
}

}  // namespace rota_test
