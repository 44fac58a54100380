// Computes deadlines: moments of the clock in nanoseconds, where 0 stands for "none".
#pragma once

#include <cstdint>

#include <rota/detail/time_engine.hpp>
#include <rota/time.hpp>

namespace rota::http::detail {

// The moment `d` after `from`; 0, which stands for none, if `d` is not positive.
inline std::int64_t later(std::int64_t from, clock::duration d) {
    return d.count() <= 0 ? 0 : rota::detail::saturated_add(from, d.count());
}

// The earlier of two moments; 0 stands for none.
inline std::int64_t earlier(std::int64_t a, std::int64_t b) {
    if (a == 0 || b == 0) return a + b;
    return a < b ? a : b;
}

}  // namespace rota::http::detail
