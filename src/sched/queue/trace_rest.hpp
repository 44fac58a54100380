// Lets the goroutine that serves a trace rest between two looks.
//
// sysmon wakes it, not a timer. While a p has a timer, every eighth switch on it goes through g0
// and reads the clock: a trace would cost a tenth more of ping_pong for that alone. sysmon runs
// anyway whenever a goroutine runs, every 10 ms at least. It sleeps where all ps are idle, though
// not for long while a goroutine rests here. A resting goroutine is not deadlocked.
#pragma once

#include <cstdint>

#include "base/annotations.hpp"
#include "core/sched.hpp"

namespace rota::rt {

// Parks the caller for `ns`, and up to 10 ms more; up to 200 ms more where all ps are idle. Caller:
// a goroutine in user code; the m and the p may have changed afterwards.
void trace_rest(std::int64_t ns) ROTA_EXCLUDES(sched.mu);

// Whether a goroutine rests.
bool is_trace_resting() ROTA_REQUIRES(sched.mu);

// Wakes the goroutines that have rested until `now`. Caller: sysmon.
void trace_wake_rested(std::int64_t now) ROTA_EXCLUDES(sched.mu);

// As trace_wake_rested, unless a thread, perhaps the caller, holds a lock that is needed. Caller:
// sysmon, whose findings are about to end the process.
void trace_wake_rested_at_end(std::int64_t now);

}  // namespace rota::rt
