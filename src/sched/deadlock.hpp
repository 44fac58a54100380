// Deadlock detection. Go: checkdead.
#pragma once

#include "base/annotations.hpp"
#include "core/sched.hpp"

namespace rota::rt {

// Whether no goroutine can run again by itself: inside run(), every m sleeps, no timer is pending,
// nobody waits for a descriptor, and no thread of the program's own has ever used rota. An m in a
// system call, or just being started, does not sleep.
[[nodiscard]] bool is_deadlocked() ROTA_REQUIRES(sched.mu);

// For who has seen that. Ends the process with Go's report, unless a thread of the program's own is
// about to do something: it may be on its way to its first use of rota. Then sysmon looks again
// until that thread has come, has ended, or waits for nobody but us. Caller: holds no lock, so that
// the report can take any.
void confirm_deadlock() ROTA_EXCLUDES(sched.mu);

// For sysmon. It has done something at whose end nobody but itself looks again; and in every round.
void suspect_deadlock();
void look_at_suspicion() ROTA_EXCLUDES(sched.mu);

}  // namespace rota::rt
