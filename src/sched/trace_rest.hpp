// Where the goroutine that sees to a trace rests between two looks.
//
// sysmon wakes it, not a timer: while a p has a timer every eighth switch on it goes through g0 and
// looks at the clock, and a trace would cost a tenth more of ping_pong for that alone. sysmon looks
// around anyway whenever somebody runs, every 10 ms at least; where all ps are idle it sleeps, but
// not for long while somebody rests. Nobody who rests is deadlocked.
#pragma once

#include <cstdint>

#include "base/annotations.hpp"
#include "core/sched.hpp"

namespace rota::rt {

// Parks the caller for so many ns, and up to 10 ms more; up to 200 where all ps are idle. Caller: a
// goroutine in user code; the m and the p may be others afterwards.
void trace_rest(std::int64_t ns) ROTA_EXCLUDES(sched.mu);

// Whether somebody rests.
bool is_trace_resting() ROTA_REQUIRES(sched.mu);

// Wakes those who have rested until `now`. Caller: sysmon.
void trace_wake_rested(std::int64_t now) ROTA_EXCLUDES(sched.mu);

// Likewise, unless somebody holds a lock that is needed, which may be the caller: sysmon, whose
// process is about to end by what it has found.
void trace_wake_rested_at_end(std::int64_t now);

}  // namespace rota::rt
