// Deadlock detection. Go: checkdead.
#pragma once

#include "base/annotations.hpp"
#include "core/sched.hpp"

namespace rota::rt {

// Whether no goroutine can run again by itself: inside run(), every m sleeps, no timer is pending,
// nobody waits for a descriptor, and no thread of the program's own that has used rota lives
// outside run(): what a thread did that is inside now, or has ended, brings no work any more. An m
// in a system call, or just being started, does not sleep.
[[nodiscard]] bool is_deadlocked() ROTA_REQUIRES(sched.mu);

// For who has seen that. Ends the process with Go's report, unless a thread of the program's own is
// about to do something: it may be on its way to its first use of rota. Then sysmon looks again
// until that thread has come, has ended, or waits for nobody but us. Caller: holds no lock, so that
// the report can take any.
void confirm_deadlock() ROTA_EXCLUDES(sched.mu);

// A thread of rota's own that looks at goroutines and brings none to run; 0: there is none. It
// counts as asleep. relaxed: written before it does anything.
inline constinit atomic<int> bystander_tid{0};

// But from here on it may hold what goroutines wait for, as the world's lock is; until it rests
// again, when a deadlock is suspected. sysmon does not sleep deeply in such a program.
void bystander_begins() ROTA_EXCLUDES(sched.mu);
void bystander_rests() ROTA_EXCLUDES(sched.mu);

// A thread ends after which nobody looks: sysmon does.
void suspect_deadlock_now() ROTA_REQUIRES(sched.mu);

// For sysmon. It has done something at whose end nobody but itself looks again; and in every round.
void suspect_deadlock();
void look_at_suspicion() ROTA_EXCLUDES(sched.mu);

}  // namespace rota::rt
