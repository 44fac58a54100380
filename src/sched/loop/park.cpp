// Parks, readies and yields goroutines: the operations behind every wait.
#include "sched/queue/park_here.hpp"

#include <utility>

#include "base/fatal.hpp"
#include "base/probe.hpp"
#include "sched/base/bubble.hpp"
#include "sched/base/latency.hpp"
#include "sched/base/modes.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/base/wakeup.hpp"
#include "sched/queue/switch.hpp"
#include "sched/record/trace_events.hpp"
#include "sched/thread/syscall.hpp"
#include "sys/call/clock.hpp"
#include "trace/contention.hpp"

namespace rota::rt {

namespace {

// Runs the commit function of a g in a bubble. If prev stays parked, the bubble counts it as
// blocked.
ROTA_NOINLINE bool commit_in_bubble(m& self, g& prev, park_commit commit) {
    bubble& b = *prev.in;
    const bool durable = prev.durably_blocked;
    self.commit_in = &b;
    const bool stays = commit == nullptr || commit(prev, self.commit_arg);
    self.commit_in = nullptr;
    if (!stays) prev.durably_blocked = false;
    else if (durable) bubble_blocked(b);
    return stays;
}

void after_yield(m&, g& prev) {
    {
        const lock_guard guard(sched.mu);
        global_put(prev);
    }
    wakep();
}

void after_early_yield(m&, g& prev) {
    {
        const lock_guard guard(sched.mu);
        global_put_early(prev);
    }
    wakep();
}

void after_local_yield(m& self, g& prev) {
    runq_put(*self.pp, prev, false);
    wakep();
}

}  // namespace

void after_park(m& self, g& prev) {
    const park_commit commit = self.commit;
    if (ROTA_UNLIKELY(prev.is_in_bubble) ? commit_in_bubble(self, prev, commit)
                                         : commit == nullptr || commit(prev, self.commit_arg))
        return;
    casgstatus(prev, g_status::waiting, g_status::runnable);
    ROTA_PROBE1("go_ready", "8", prev.goid);
    if (is_traced()) trace_go_unblock(prev);
    runq_put_next(*self.pp, prev);
    wakep_for_next(*self.pp);  // another g runs here already
}

void after_park_unlock(m& self, g& prev) ROTA_NO_TSA {  // acquired by the g that parked
    if (ROTA_UNLIKELY(prev.is_in_bubble)) {
        commit_in_bubble(self, prev, commit_unlock);
        return;
    }
    static_cast<lock*>(self.commit_arg)->release();
}

void park_thread(m& self, g& gp, park_commit commit, void* arg) {
    ROTA_CHECK(self.foreign);
    self.park.clear();
    if (commit == nullptr || commit(gp, arg)) {
        self.park.sleep();  // readied: the state is runnable
        casgstatus(gp, g_status::runnable, g_status::running);
    } else {
        casgstatus(gp, g_status::waiting, g_status::running);
    }
}

// acquired by the g that parked, released on its behalf
bool commit_unlock(g&, void* l) ROTA_NO_TSA {
    static_cast<lock*>(l)->release();
    return true;
}

namespace {

// Whether a wait of this kind is a wait for other goroutines. Go: blockevent's callers.
constexpr bool is_profiled(wait_reason why) {
    switch (why) {
        case wait_reason::none:
        case wait_reason::chan_receive_nil:
        case wait_reason::chan_send_nil:
        case wait_reason::select_no_cases:
        case wait_reason::sleep:
        case wait_reason::runtime_run:
        case wait_reason::synctest_run:
        case wait_reason::synctest_wait:
        case wait_reason::io_wait:
        case wait_reason::count: return false;
        default: return true;
    }
}

}  // namespace

ROTA_NOINLINE ROTA_COLD ROTA_SWITCHES_STACK void park_profiled(park_commit commit, void* arg,
                                                               wait_reason why) {
    const std::int64_t since = nanotime();
    park_now(commit, arg, why);
    if (is_profiled(why)) note_blocked(nanotime() - since, getm().rand.next());
}

ROTA_NOINLINE ROTA_SWITCHES_STACK void gopark(park_commit commit, void* arg, wait_reason why) {
    if (ROTA_UNLIKELY(block_rate() != 0)) return park_profiled(commit, arg, why);
    park_now(commit, arg, why);
}

namespace {

// Queues gp for a thread without a p. If no p is idle, gp need not wait for whole slices.
void ready_from_outside(g& gp) {
    const lock_guard guard(sched.mu);
    // relaxed: changed under sched.mu
    if (sched.idle_p_count.load(memory_order_relaxed) == 0) global_put_urgent(gp);
    else global_put(gp);
}

ROTA_NOINLINE void ready_with_extras(m& self, g& gp) {
    if (ROTA_LIKELY(is_traced())) trace_go_unblock(self, gp);
    if (self.ready_extras != m::ready_traced) return put_with_extras(self, gp);
    runq_put_next(*self.pp, gp);
    wakep_for_next(*self.pp);
}

}  // namespace

void goready(g& gp) {
    m& self = getm();
    ROTA_PROBE1("go_ready", "8", gp.goid);
    if (ROTA_UNLIKELY(gp.durably_blocked)) {
        gp.durably_blocked = false;
        if (!bubble_readied(*gp.in)) return;  // it never runs again
    }
    casgstatus(gp, g_status::waiting, g_status::runnable);
    if (ROTA_UNLIKELY(gp.is_thread)) {
        gp.mp->park.wakeup();
        return;
    }
    if (ROTA_UNLIKELY(self.pp == nullptr)) {
        trace_go_unblock(gp);
        note_runnable_outside(gp);
        ready_from_outside(gp);
    } else {
        note_runnable(*self.pp, gp);
        if (ROTA_UNLIKELY(self.ready_extras != 0)) return ready_with_extras(self, gp);
        runq_put_next(*self.pp, gp);
        wakep_for_next(*self.pp);
        return;
    }
    wakep();
}

void fp_control_changed(const g& gp) {
    fatal(
        "floating-point control words changed", trace_scope::current,
        "runtime: goroutine %zu leaves the rounding mode, the exception masks or the flushing to "
        "zero changed; they belong to the thread: restore them before an operation that may block",
        gp.goid);
}

// Whether this p has nothing else to do, so a yield returns at once. At every 61st tick the answer
// is no: the scheduler then looks after what only it looks after.
ROTA_ALWAYS_INLINE bool is_alone(m& self) {
    p& pp = *self.pp;
    // relaxed, all: a later yield sees a later change.
    const std::uint32_t tick = pp.sched_tick.load(memory_order_relaxed) + 1;
    if (pp.runnext.load(memory_order_relaxed) != nullptr ||
        pp.runq_head.load(memory_order_relaxed) != pp.runq_tail.load(memory_order_relaxed) ||
        sched.runq_size.load(memory_order_relaxed) != 0 || pp.timers.earliest_hint() != 0 ||
        tick % 61 == 0)
        return false;
    const std::uint32_t direct_switch_blockers =
        sched.direct_switch_blockers.load(memory_order_relaxed);
    if (ROTA_UNLIKELY(direct_switch_blockers % blockers_per_lock != 0)) return false;
    pp.sched_tick.store(tick, memory_order_relaxed);
    return true;
}

namespace {

// Whether the request to yield comes before this goroutine has used its turn. Either the request
// was meant for the previous goroutine on this thread, or the thread has waited for a processor.
// Such a goroutine joins the urgent queue instead of waiting behind every goroutine that computes.
bool is_asked_early(const m& self) {
    // relaxed, all: advice
    if (sched.stop_wanted.load(memory_order_relaxed)) return false;
    return self.asked_early.load(memory_order_relaxed) ||
           self.asked_tick.load(memory_order_relaxed) !=
               self.pp->sched_tick.load(memory_order_relaxed);
}

ROTA_ALWAYS_INLINE void yield_unless_alone(next_by how) {
    m& self = getm();
    g& gp = *self.curg;
    if (gp.is_thread || is_alone(self)) return;
    const bool early = how == next_by::search && is_asked_early(self);
    if (how == next_by::search) {
        note_computed(*self.pp, nanotime());
        if (early) self.pp->lender = nullptr;  // a lending ends here too, as in end_slice
        else self.pp->slice_over = true;
    }
    note_runnable(*self.pp, gp);
    casgstatus(gp, g_status::running, g_status::runnable);
    if (ROTA_UNLIKELY(early)) return leave_g(self, gp, after_early_yield, false, how);
    // Go always uses the global queue, which is fair among all ps but costs a lock on each side.
    // Here a yield uses it only while goroutines wait there.
    const bool others_wait = sched.runq_size.load(memory_order_relaxed) != 0;  // relaxed: a hint
    leave_g(self, gp, others_wait ? after_yield : after_local_yield, false, how);
}

ROTA_NOINLINE ROTA_SWITCHES_STACK void yield_slice() { yield_unless_alone(next_by::search); }

}  // namespace

ROTA_NOINLINE ROTA_SWITCHES_STACK void gosched_yield() { yield_unless_alone(next_by::nearest); }

ROTA_NOINLINE ROTA_SWITCHES_STACK void goyield() {
    m& self = getm();
    g& gp = *self.curg;
    if (gp.is_thread) return;
    casgstatus(gp, g_status::running, g_status::runnable);
    leave_g(self, gp, after_local_yield);
}

void preempt_yield() {
    if (chaos.on) return chaos_leave();
    if (seeded.on) return seeded_leave();
    m& self = enter_runtime();
    self.preempt.store(false, memory_order_relaxed);  // relaxed: advice
    if (std::exchange(self.leaves_p, false) && (self.curg->at_start & g::start_blocks) != 0) {
        if (!leave_p(self)) self.in_runtime.store(0, memory_order_release);  // pairs(entry.left)
        return;
    }
    if (self.pp != nullptr && !self.curg->is_thread) {
        bump(self.pp->counts.preemptions);
        ROTA_PROBE1("go_preempt", "8", self.curg->goid);
        self.trace_preempts = is_traced();
        yield_slice();
        getm().trace_preempts = false;  // the yield may have found no other goroutine to run
    }
    // Not leave_runtime(): a request that has come meanwhile is honoured at the next exit.
    getm().in_runtime.store(0, memory_order_release);  // pairs(entry.left)
}

}  // namespace rota::rt
