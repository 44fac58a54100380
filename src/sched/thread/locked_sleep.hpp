// The sleep of an m that takes no p for itself: the m of a thread inside run() whose main goroutine
// is elsewhere, and the m of a locked goroutine that is parked.
#pragma once

#include "base/annotations.hpp"
#include "core/sched.hpp"

namespace rota::rt {

// Notes that self, without a p, sleeps as soon as sched.mu is free, until a waker calls
// end_locked_sleep. True: that is a deadlock.
[[nodiscard]] bool begin_locked_sleep(m& self) ROTA_REQUIRES(sched.mu);

// Ends the sleep noted by begin_locked_sleep: `main_m` is to look again at what it waits for. True:
// `main_m` was asleep, and the caller wakes it once sched.mu is free.
[[nodiscard]] bool end_locked_sleep(m& main_m) ROTA_REQUIRES(sched.mu);

}  // namespace rota::rt
