// The thread inside run(), which must return as soon as its main goroutine has ended.
//
// So it runs that goroutine and no other: whatever else ran there might compute, or block, for
// ever, and cannot be moved to another thread. The main goroutine itself is bound to nothing. It
// begins here; when it parks, the m gives its p away and sleeps, and the goroutine goes on wherever
// it is readied, unless it locks itself to its thread (sched/lock_thread).
//
//     run() ──► runs the main goroutine ──it parks──► sleeps ──it has ended──► run() returns
//                        ▲                              │
//                        └──────it locks itself─────────┘
#pragma once

#include "base/annotations.hpp"
#include "core/sched.hpp"
#include "sched/schedule.hpp"

namespace rota::rt {

// What the m of a thread inside run() runs next: its main goroutine. Empty: the run() is over.
[[nodiscard]] found next_at_home(m& self) ROTA_EXCLUDES(sched.mu);

// self, without a p, will sleep as soon as sched.mu is free: until it is called home, or gets what
// is locked to it. True: with that, everybody sleeps for ever.
[[nodiscard]] bool lie_down(m& self) ROTA_REQUIRES(sched.mu);

// An m that may lie there is to look again at what it waits for. True: it does, and is to be woken
// once sched.mu is free.
[[nodiscard]] bool call_home(m& home) ROTA_REQUIRES(sched.mu);

}  // namespace rota::rt
