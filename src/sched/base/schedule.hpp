// Declares the schedule loop and the search for a runnable goroutine.
#pragma once

#include <cstdint>

#include "core/sched.hpp"

namespace rota::rt {

struct found {
    g* gp = nullptr;
    bool inherit = false;  // continues the time slice of the goroutine before it
    explicit operator bool() const { return gp != nullptr; }
};

// Runs goroutines on this thread's g0 until the run() of this thread, if any, is over. Go:
// schedule.
void schedule_loop(m& self);

// Finds a runnable goroutine; sleeps while there is none. Go: findRunnable.
[[nodiscard]] found findrunnable(m& self);

// Ends the spin of self, which has found work: wakes the next spinner if self was the last. Go:
// resetspinning.
void stop_spinning_with_work(m& self);

// Honours on g0 the requests behind sched.direct_switch_blockers: sleeps for ever if the process
// exits, gives its p to the m that stops the world.
void honour_stops(m& self);

// Returns the next goroutine for an m without a locked goroutine; an m with one waits for it. Null:
// the loop is over.
[[nodiscard]] found next_to_run(m& self);

// Runs the due timers on owner's heap; returns how many. Caller: holds a p, maybe not owner.
std::uint32_t run_due_timers(m& self, p& owner, std::int64_t now);

}  // namespace rota::rt
