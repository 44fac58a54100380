// Schedules the thread inside run(), which must return as soon as its main goroutine has ended.
//
// So the thread runs that goroutine and no other: another goroutine might compute or block there
// for ever, and cannot be moved to another thread. The main goroutine itself is bound to no thread.
// It begins here; when it parks, the m gives its p away and sleeps, and the goroutine goes on
// wherever it is readied, unless it locks itself to its thread (sched/thread/lock_thread).
//
//     run() ──► runs the main goroutine ──it parks──► sleeps ──it has ended──► run() returns
//                        ▲                              │
//                        └──────it locks itself─────────┘
#pragma once

#include "base/annotations.hpp"
#include "core/sched.hpp"
#include "sched/base/schedule.hpp"

namespace rota::rt {

// Returns the goroutine that self, the m of a thread inside run(), runs next: the main goroutine.
// Empty: the run() is over.
[[nodiscard]] found next_on_main_thread(m& self) ROTA_EXCLUDES(sched.mu);

}  // namespace rota::rt
