// Tells whether the thread of an m sleeps, or is awake, without asking the kernel each time.
#pragma once

#include <cstdint>

#include "core/m.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

// The state of mp's thread. Its clock has just shown `cpu`. An awake thread without a processor
// cannot fall asleep before its clock moves, and the kernel's answer takes a while: so the kernel
// is not asked each time. It is asked now and then, because some clocks move in steps. Caller:
// sysmon.
thread_state state_at(m& mp, int tid, std::int64_t cpu, std::int64_t now);

}  // namespace rota::rt
