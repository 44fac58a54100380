// Switches between two gs, and finishes the business of the previous g right behind the switch.
//
// Go goes through g0 at every park: g -> g0 -> next g. Here a g that parks, yields or ends picks
// the next runnable g of its own p and switches to it directly. g0 runs only when the ring is empty
// or fairness asks for the global queue. That halves the switches. Price: some actions must not
// happen before the registers are saved (to unlock the channel, queue the g, free its stack). The
// stack that comes next does them, in finish_switch(). Such an action never parks.
#pragma once

#include "arch/context.hpp"
#include "arch/fiber.hpp"
#include "base/probe.hpp"
#include "core/getg.hpp"
#include "core/sched.hpp"
#include "sched/base/latency.hpp"
#include "sched/base/leaving.hpp"
#include "sched/base/poll_due.hpp"
#include "sched/base/switch_told.hpp"
#include "sched/queue/run_queue.hpp"
#include "sched/record/trace_events.hpp"

namespace rota::rt {

// Runs the action of the context that this thread has just left. Comes first on every stack that
// was switched to.
ROTA_ALWAYS_INLINE void finish_switch() {
    m& self = getm();
    fiber_arrive(self.curg->fib);
    if (const switch_action after = self.after) {
        self.after = nullptr;
        after(self, *self.prev);
    }
}

// Leaves `from` for `to`; comes back when an m switches to `from` again, maybe another m.
ROTA_ALWAYS_INLINE void switch_to(m& self, g& from, g& to, bool forever = false) {
    sched_point(point::parked_not_gone);
    self.curg = &to;
    from.caught = self.eh->caught;
    from.uncaught = self.eh->uncaught;
    *self.eh = {to.caught, to.uncaught};
    fiber_leave(from.fib, to.fib, forever);
    if (ROTA_UNLIKELY(self.is_told)) context_switch_told(self, from, to, forever);
    else context_switch(from.sched, to.sched);
    finish_switch();
}

// gp runs on self from now on. `inherit`: it continues the time slice of the g before it.
ROTA_ALWAYS_INLINE void start_running(m& self, p& pp, g& gp, bool inherit) {
    casgstatus(gp, g_status::runnable, g_status::running);
    gp.mp = &self;
    note_running(gp);
    ROTA_PROBE2("go_start", "8", gp.goid, "-4", pp.id);
    if (!inherit) bump(pp.sched_tick);
}

// Whether `next`, already started, must not be switched to directly: a request is pending, next is
// locked, or self is.
inline bool must_go_through_g0(const m& self, const g& next, std::uint32_t direct_switch_blockers) {
    return direct_switch_blockers % blockers_per_lock != 0 || next.is_locked ||
           self.locked_g.load(memory_order_relaxed) != nullptr;  // relaxed: read at every switch
}

// Switches to no goroutine directly: self goes on in g0.
ROTA_ALWAYS_INLINE g& pick_g0(m& self) {
    if (is_traced()) trace_leave(self);
    return self.g0;
}

// What runs next on self: a runnable g of its p, already started, or g0.
ROTA_ALWAYS_INLINE g& pick_next(m& self) {
    p& pp = *self.pp;
    const bool fairness =
        pp.sched_tick.load(memory_order_relaxed) % 61 == 0 &&  // relaxed: written by this thread
        (sched.runq_size.load(memory_order_relaxed) != 0 || is_poll_due(pp));  // relaxed: a hint
    // The tick last: a branch that is taken every eighth time costs more than both loads.
    // relaxed: written by this thread
    const bool hurry = (pp.timers.earliest_hint() != 0 ||
                        sched.urgent_waits.load(memory_order_relaxed)) &&  // relaxed: a hint
                       (pp.sched_tick.load(memory_order_relaxed) & 7) == 0;
    if (ROTA_UNLIKELY(fairness || hurry || self.run != nullptr || pp.lender != nullptr))
        return pick_g0(self);  // on a lent p, urgent goroutines come first
    g* next = runq_get_next(pp);
    const bool inherit = next != nullptr;
    if (!inherit && (next = runq_get_first(pp)) == nullptr) return pick_g0(self);
    start_running(self, pp, *next, inherit);
    // The state first, then the look: a scan of stacks does both in the other order
    // (sched/preempt/scan).
    std::atomic_signal_fence(std::memory_order_seq_cst);  // pairs(scan.stop)
    const std::uint32_t direct_switch_blockers =
        sched.direct_switch_blockers.load(memory_order_acquire);  // pairs(scan.over)
    if (ROTA_LIKELY(direct_switch_blockers == 0)) return *next;
    if (must_go_through_g0(self, *next, direct_switch_blockers)) {
        casgstatus(*next, g_status::running, g_status::runnable);
        runq_put(pp, *next, true);
        return pick_g0(self);
    }
    if (is_traced()) trace_switch(self, *next);  // a trace raises direct_switch_blockers
    return *next;
}

// Ends the process: gp blocks, or ends, and would leave its changed floating-point control words to
// other goroutines.
[[noreturn]] ROTA_COLD void fp_control_changed(const g& gp);

enum class next_by : bool { nearest, search };  // a g of this p, or any g

// Leaves the running g for the next one; `action` finishes its business from there.
ROTA_ALWAYS_INLINE void leave_g(m& self, g& gp, switch_action action, bool forever = false,
                                next_by how = next_by::nearest) {
#if defined(ROTA_DEBUG_CHECKS)
    if (ROTA_UNLIKELY(!(fp_control::current() == self.fp))) fp_control_changed(gp);
#endif
    if (!forever) before_leaving(self, gp);
    self.after = action;
    self.prev = &gp;
    switch_to(self, gp, how == next_by::nearest ? pick_next(self) : pick_g0(self), forever);
}

}  // namespace rota::rt
