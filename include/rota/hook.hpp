// Tells the statistics of librota_hook.so. With that library in the process, calls of the C library
// that would block a goroutine's thread park the goroutine.
#pragma once

#include <cstdint>
#include <string_view>

#include <rota/detail/exceptions.hpp>
#include <rota/detail/vector.hpp>

namespace rota::hook {

/// Counts of the calls of one function of the C library that goroutines have made. Calls by
/// threads, by the runtime and inside rota::blocking are not counted.
struct call_stats {
    std::string_view name;      ///< "poll", "recv"
    std::uint64_t calls = 0;    ///< all calls
    std::uint64_t parked = 0;   ///< calls in which the goroutine has parked
    std::uint64_t blocked = 0;  ///< calls made in a blocking section, as by rota::blocking
    std::uint64_t waits = 0;    ///< how often the calls have parked; a call may do so several times
};

/// Whether librota_hook.so is in the process and not switched off (GODEBUG=hook=off). False before
/// the first use of rota, and in a repeatable run (GODEBUG=schedseed).
bool is_attached() noexcept;

/// The counts of all hooked functions; empty if is_attached() is false. Does not block. Any thread.
rota::detail::vector<call_stats> stats();

}  // namespace rota::hook
