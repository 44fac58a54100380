// Implements the first frame of a goroutine, and its end.
//
// Processors predict the target of a ret from the calls before it. So a goroutine that runs from
// beginning to end without a park must leave as many calls behind as it found, none of its own.
// Then the goroutine that has parked for it, if it is switched to directly, returns as predicted,
// two or three times. So rota_gostart jumps here, and the end is compiled into this frame (bench
// spawn_wake).
#include "base/probe.hpp"
#include "sched/base/bubble.hpp"
#include "sched/base/modes.hpp"
#include "sched/base/park.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/goroutine/gfree.hpp"
#include "sched/queue/switch.hpp"
#include "sched/record/labels.hpp"
#include "sched/thread/foreign_threads.hpp"
#include "sched/thread/lock_thread.hpp"

namespace rota::rt {

namespace {

void after_end(m& self, g& prev) {
    if (ROTA_UNLIKELY(prev.locked_m != nullptr)) locked_g_ended(self, prev);
    fiber_destroy(prev.fib);
    gfput(self.pp, prev);
}

[[noreturn]] ROTA_ALWAYS_INLINE void end_now() {
    m& self = getm();
    g& gp = *self.curg;
    ROTA_DCHECK(holds_no_lock());
    if (ROTA_UNLIKELY(gp.is_pinned)) ended_pinned(gp);
    ROTA_PROBE1("go_end", "8", gp.goid);
    casgstatus(gp, g_status::running, g_status::dead);
    bump(self.pp->counts.ended);
    if (ROTA_UNLIKELY(gp.in != nullptr)) bubble_leave(gp);
    if (ROTA_UNLIKELY(gp.main_of != nullptr)) main_goroutine_ended(*gp.main_of);
    leave_g(self, gp, after_end, true);
    check_failed("a dead goroutine never runs on", __FILE__, __LINE__);
}

}  // namespace

ROTA_NOINLINE ROTA_SWITCHES_STACK void goroutine_end() { end_now(); }

}  // namespace rota::rt

// rota_gostart goes on here on the new goroutine's stack, inside the runtime. Never returns: there
// is no frame above.
extern "C" ROTA_SWITCHES_STACK void rota_goroutine_main() {
    using namespace rota::rt;
    if (ROTA_UNLIKELY(getm().is_told)) goroutine_begins_told(getm());
    finish_switch();
    {
        m& self = getm();
        // Not leave_runtime(): a request to yield was meant for the goroutine before. And a
        // goroutine that yields here would count as begun (sched/queue/start_admission) before it
        // shows whether it blocks. Where requests are made up (chaos, seeded), this is a place like
        // any other.
        if (ROTA_UNLIKELY(!try_leave_runtime(self)) && (chaos.on || seeded.on)) preempt_yield();
    }
    g& gp = *getm().curg;
    gp.entry(gp.closure);
    if (gp.locals != nullptr) gp.locals->end(gp);
    if (ROTA_UNLIKELY(labels_of(gp) != nullptr)) drop_labels(gp);
    enter_runtime();
    end_now();
}
