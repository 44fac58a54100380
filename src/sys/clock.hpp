// The runtime's clock: CLOCK_MONOTONIC in nanoseconds. Behind this one function a test may put
// another.
#pragma once

#include <cstdint>

namespace rota::rt {

// Nanoseconds since some fixed moment; never goes back, never 0.
std::int64_t nanotime();

}  // namespace rota::rt
