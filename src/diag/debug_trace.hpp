// A trace of a while, for the debug pages.
#pragma once

#include <chrono>
#include <string>
#include <system_error>

#include <rota/context.hpp>

namespace rota::rt {

// The bytes of an execution trace that lasts so long, or until the context ends. Empty, with ec
// set, if there can be none: one is being taken already, say. Blocks the goroutine.
std::string trace_for(const context& ctx, std::chrono::nanoseconds duration, std::error_code& ec);

}  // namespace rota::rt
