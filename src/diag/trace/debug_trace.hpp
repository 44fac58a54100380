// Takes an execution trace of a given duration, for the debug pages.
#pragma once

#include <chrono>
#include <string>
#include <system_error>

#include <rota/context.hpp>

namespace rota::rt {

// Returns the bytes of an execution trace that lasts `duration`, or until the context ends. Empty,
// with ec set, if no trace can be taken: another trace runs already, say. Blocks the goroutine.
std::string trace_for(const context& ctx, std::chrono::nanoseconds duration, std::error_code& ec);

}  // namespace rota::rt
