// Decides how a thread inside run() uses its p, and lets it sleep.
#include "sched/thread/main_thread.hpp"

#include "sched/m/m_lifecycle.hpp"
#include "sched/queue/deadlock.hpp"
#include "sched/queue/m_bind.hpp"
#include "sched/queue/run_queue.hpp"
#include "sched/queue/timers.hpp"
#include "sched/thread/lock_thread.hpp"
#include "sched/thread/locked_sleep.hpp"
#include "sys/call/clock.hpp"

namespace rota::rt {

namespace {

// Returns the main goroutine if it is the next in self's p: it has just begun, has yielded while no
// other goroutine waited, or could not park after all.
found next_main_g(m& self) {
    p& pp = *self.pp;
    found f;
    if (are_timers_to_run(pp)) return f;
    f.gp = runq_get(pp, f.inherit);
    if (f.gp == nullptr) return f;
    const bool goes_on_elsewhere = f.gp->is_locked && f.gp->locked_m != &self;  // pinned there
    if (f.gp->main_of == self.run && !goes_on_elsewhere) return f;
    runq_put(pp, *f.gp, true);
    return {};
}

// Sleeps without a p, until an event that this m waits for.
void sleep_as_main_m(m& self) {
    bool dead = false;
    {
        const lock_guard guard(sched.mu);
        // relaxed: its main goroutine, which is on its way here, has stored that under sched.mu
        if (is_run_over(self) || self.locked_g.load(memory_order_relaxed) != nullptr) return;
        dead = begin_locked_sleep(self);
    }
    if (dead) confirm_deadlock();
    self.park.sleep();
}

}  // namespace

found next_on_main_thread(m& self) {
    self.preempt.store(false, memory_order_relaxed);  // relaxed: advice
    for (;;) {
        if (is_run_over(self)) return {};
        // relaxed: looked at again under sched.mu
        if (self.locked_g.load(memory_order_relaxed) != nullptr) return {wait_for_locked_g(self)};
        if (sched.direct_switch_blockers.load(memory_order_relaxed) % blockers_per_lock != 0)
            honour_stops(self);  // relaxed: looked at again
        if (self.pp != nullptr) {
            if (const found f = next_main_g(self)) return f;
            handoffp(releasep(self));
        }
        sleep_as_main_m(self);
    }
}

}  // namespace rota::rt
