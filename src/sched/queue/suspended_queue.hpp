// The line of suspended ms: threads that are stopped in user code (sched/preempt/suspend) wait in
// it for a p, first come, first served, and take turns with the goroutines of the global queue.
#pragma once

#include <cstdint>

#include "base/annotations.hpp"
#include "core/sched.hpp"

namespace rota::rt {

// Puts mp at the end of the line, behind the goroutines that are in the global queue now.
void push_suspended(m& mp) ROTA_REQUIRES(sched.mu);

// How many goroutines of the global queue come before the first m in line. Caller: has seen that
// an m is in line.
[[nodiscard]] std::uint32_t ahead_of_suspended() ROTA_REQUIRES(sched.mu);

// Takes the first m out of the line, which must then be resumed or released; null: there is none.
m* pop_suspended() ROTA_REQUIRES(sched.mu);

// Puts mp back where pop_suspended has taken it from. False: no thread is stopped any more, and mp
// is the caller's to wake, without a p.
[[nodiscard]] bool unpop_suspended(m& mp) ROTA_REQUIRES(sched.mu);

}  // namespace rota::rt
