// The schedule loop: takes the next goroutine to run and switches to it, until run() is over.
#include "sched/base/schedule.hpp"

#include "sched/base/modes.hpp"
#include "sched/base/park.hpp"
#include "sched/base/wakeup.hpp"
#include "sched/preempt/scan.hpp"
#include "sched/preempt/suspend.hpp"
#include "sched/queue/m_bind.hpp"
#include "sched/queue/placement.hpp"
#include "sched/queue/poll_mode.hpp"
#include "sched/queue/start_admission.hpp"
#include "sched/queue/switch.hpp"
#include "sched/record/trace_events.hpp"
#include "sched/thread/lock_thread.hpp"
#include "sched/thread/main_thread.hpp"

namespace rota::rt {

ROTA_SWITCHES_STACK void schedule_loop(m& self) {
    if (chaos.on) return chaos_loop(self);
    for (;;) {
        const found next = next_to_run(self);
        if (!next) return;
        start_running(self, *self.pp, *next.gp, next.inherit);
        if (is_traced()) trace_go_start(self, *next.gp);
        give_way_to_scan(*next.gp);
        switch_to(self, self.g0, *next.gp);
    }
}

found next_to_run(m& self) {
    for (;;) {
        // relaxed, here and below: read again at every switch
        if (ROTA_UNLIKELY(self.locked_g.load(memory_order_relaxed) != nullptr))
            return {wait_for_locked_g(self)};
        if (self.run != nullptr) return next_on_main_thread(self);
        const found next = findrunnable(self);
        if (self.spinning) stop_spinning_with_work(self);
        if (ROTA_UNLIKELY(readgstatus(*next.gp) == g_status::preempted)) {
            p& pp = releasep(self);
            // This m will sleep, or take another p.
            if (is_no_processor_free()) pp.vacated = current_processor();
            resume_suspended(*next.gp->mp, pp);
            continue;
        }
        if (ROTA_UNLIKELY(ms_are_short()) && defer_start(*next.gp)) continue;
        if (ROTA_UNLIKELY(next.gp->is_locked) && hand_to_locked_m(self, *next.gp)) continue;
        return next;
    }
}

void stop_spinning_with_work(m& self) {
    self.spinning = false;
    ROTA_CHECK(sched.nmspinning.fetch_sub(1, memory_order_seq_cst) > 0);  // pairs(wake.submit)
    note_spin(true);
    // Submitters have skipped their wake-up because this m spun: look for a successor. But if every
    // p is at work, and another m serves what waits, the wake-up would only tell this m to go on.
    // relaxed: an idle p that is missed is sysmon's business then (sched/policy/poll_trial)
    if (sched.idle_p_count.load(memory_order_relaxed) == 0 && another_m_polls(*self.pp)) return;
    wakep();
}

}  // namespace rota::rt
