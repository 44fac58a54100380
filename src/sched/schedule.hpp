// The schedule loop and the search for something to run.
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

// self, which spun, has found work: wakes the next spinner if it was the last one. Go:
// resetspinning.
void stop_spinning_with_work(m& self);

// Honours what sched.through_g0 stands for on g0: sleeps for ever if the process exits, gives its p
// to who stops the world.
void honour_stops(m& self);

// The next goroutine for self, which is locked to none or waits for its own. Null: the loop is
// over.
[[nodiscard]] found next_to_run(m& self);

// Runs the timers on owner's heap that are due. Returns how many. Caller: holds a p, maybe another.
std::uint32_t run_due_timers(m& self, p& owner, std::int64_t now);

}  // namespace rota::rt
