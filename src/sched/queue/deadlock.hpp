// Detects deadlocks: finds out whether any goroutine can still run, and ends the process if none
// can. Go: checkdead.
#pragma once

#include "base/annotations.hpp"
#include "core/sched.hpp"

namespace rota::rt {

// Whether no goroutine can run again by itself. Inside run() every m sleeps, no timer is pending,
// and no goroutine waits for a descriptor. Outside run() no thread of the program's own lives that
// has used rota. A thread that has ended brings no work any more, and a thread that is inside run()
// counts as an m. An m in a system call, or an m that is just being started, does not sleep.
[[nodiscard]] bool is_deadlocked() ROTA_REQUIRES(sched.mu);

// Caller: a thread that has seen is_deadlocked(); holds no lock, so that the report can take any.
// Ends the process with Go's report, unless a thread of the program's own is about to act: it may
// be on its way to its first use of rota. Then sysmon looks again until that thread has used rota,
// has ended, or waits only for rota.
void confirm_deadlock() ROTA_EXCLUDES(sched.mu);

// tid of a thread of rota's own that looks at goroutines and makes none run; 0: there is none. It
// counts as asleep. relaxed: written before that thread acts.
inline constinit atomic<int> bystander_tid{0};

// From here on the bystander may hold something that goroutines wait for, such as the world's lock.
// bystander_rests ends that, and suspects a deadlock. In such a program sysmon does not sleep
// deeply.
void bystander_begins() ROTA_EXCLUDES(sched.mu);
void bystander_rests() ROTA_EXCLUDES(sched.mu);

// Leaves the look to sysmon. Caller: a thread that ends, after which no thread looks.
void suspect_deadlock_now() ROTA_REQUIRES(sched.mu);

// Both for sysmon: after an action of its own at the end of which no other thread looks again; and
// in every round, to look again if a deadlock is suspected.
void suspect_deadlock();
void look_at_suspicion() ROTA_EXCLUDES(sched.mu);

}  // namespace rota::rt
