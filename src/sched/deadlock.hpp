// Deadlock detection. Go: checkdead.
#pragma once

#include "base/annotations.hpp"
#include "core/sched.hpp"

namespace rota::rt {

// Whether nothing can ever run again: inside run(), every m sleeps, no timer is pending, nobody
// waits for a descriptor, and no thread of the program's own has ever used rota, so that none can
// bring work. An m in a system call, in the poller or just being started does not sleep.
[[nodiscard]] bool is_deadlocked() ROTA_REQUIRES(sched.mu);

// Ends the process with Go's report. Caller: holds no lock, so that the report can take any.
[[noreturn]] void report_deadlock() ROTA_EXCLUDES(sched.mu);

}  // namespace rota::rt
