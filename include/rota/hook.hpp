// librota_hook.so: calls of the C library that would block a goroutine's thread park the goroutine.
// The library does that for whatever code makes them; this header only tells what it has done.
#pragma once

#include <cstdint>
#include <string_view>

#include <rota/detail/exceptions.hpp>
#include <rota/detail/vector.hpp>

namespace rota::hook {

/// What has become of the calls of one function of the C library that goroutines have made. Calls
/// by threads, by the runtime and inside rota::blocking are not counted.
struct call_stats {
    std::string_view name;      ///< "poll", "recv"
    std::uint64_t calls = 0;    ///< made
    std::uint64_t parked = 0;   ///< of them, those for which the goroutine has parked
    std::uint64_t blocked = 0;  ///< of them, those made in a blocking section, as by rota::blocking
};

/// Whether librota_hook.so is in the process, and not off (GODEBUG=hook=off). False before the
/// first use of rota, and in a repeatable run (GODEBUG=schedseed).
bool is_attached() noexcept;

/// All functions that are hooked; empty where is_attached() is false. Does not block. Any thread.
rota::detail::vector<call_stats> stats();

}  // namespace rota::hook
