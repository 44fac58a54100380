// The search for work: fairness first, then the nearest queue, then the others', then one last
// look, then sleep.
//
// Every place where work can be is one line of findrunnable; the last look before sleep
// (work_anywhere) reads the same queues. Leaving the spin: the p is given up first, then the
// spinner count is dropped, then everything is looked at again. sched/wakeup.hpp has the story of
// the barriers.
#include "sched/schedule.hpp"

#include <algorithm>

#include "arch/context.hpp"
#include "netpoll/poller.hpp"
#include "sched/alone.hpp"
#include "sched/haul.hpp"
#include "sched/idle.hpp"
#include "sched/lend.hpp"
#include "sched/m_lifecycle.hpp"
#include "sched/poll.hpp"
#include "sched/run_queue.hpp"
#include "sched/steal_order.hpp"
#include "sched/timers.hpp"
#include "sched/wakeup.hpp"
#include "sys/asymmetric.hpp"
#include "sys/clock.hpp"
#include "sys/thread.hpp"

namespace rota::rt {

namespace {

// An m without work waits for some before it sleeps, half as long after each vain wait.
constexpr std::int32_t spin_ns_min = 1'000;

// The first that a timer readies runs next. Others would stand behind the whole ring, for seconds
// where that is full of goroutines that use up their slices: those are in a hurry, for all ps.
void run_own_timers(m& self, p& pp) {
    if (pp.timers.earliest_hint() == 0) return;
    if (pp.timers.size() == 0) return pp.timers.forget_bound();
    const std::int64_t now = nanotime();
    const bool slow = are_turns_long(pp, now) && !runq_ring_empty(pp);
    if (ROTA_UNLIKELY(slow)) self.ready_extras |= m::ready_urgently;
    const std::uint32_t n = run_due_timers(self, pp, now);
    self.ready_extras &= m::ready_lasting;
    if (slow && n > 0) wakep();
}

// What was readied last goes on with the slice of who has readied it: but not when that is over. It
// would be asked to yield at once, and leave what it has readied to go on; a chain of goroutines
// that begin each other would let nobody else in, and end none of them.
bool end_slice(p& pp) {
    if (ROTA_LIKELY(!pp.slice_over)) return false;
    pp.slice_over = false;
    pp.host = nullptr;  // who has it is in no hurry
    runq_put_next_last(pp);
    return true;
}

// Some follow the first, as far as there is room: where the ring never gets empty, but spills into
// the global queue, one by one they would wait there for 61 times as long as those in the ring.
found some_from_global(p& pp) {
    if (sched.runq_size.load(memory_order_relaxed) == 0) {          // relaxed: a hint
        pp.global_tick = pp.sched_tick.load(memory_order_relaxed);  // relaxed: our own
        return {};
    }
    if (is_lent_still(pp)) return {};
    const std::uint32_t room = runq_ring_room(pp);
    const std::int64_t now = nanotime();
    const lock_guard guard(sched.mu);
    return {global_get(pp, std::min(global_turns(now), room + 1))};
}

// Every 61st tick the global queue comes first, or two goroutines that ready each other would
// starve it. Timers wait meanwhile in their heap, where sysmon sees them: one that was readied, and
// not run, would wait for this one's slice, and stand last then.
found from_global_in_turn(p& pp) {
    const std::uint32_t tick = pp.sched_tick.load(memory_order_relaxed);  // relaxed: our own
    return tick % 61 == 0 ? some_from_global(pp) : found{};
}

// Behind a slice, which is as long as many turns, the ring and the global queue take turns; whom a
// timer has readied just now comes before either.
found from_global_behind_slice(p& pp) {
    if (pp.runnext.load(memory_order_relaxed) != nullptr) return {};  // relaxed: a hint
    pp.global_was_first = !pp.global_was_first;
    return pp.global_was_first ? some_from_global(pp) : found{};
}

// A lent p serves those first for whom it was lent; others, one at every eighth tick.
found from_urgent(p& pp) {
    // relaxed, here and below: our own, and hints
    if (pp.host == nullptr && (pp.sched_tick.load(memory_order_relaxed) & 7) != 0) return {};
    if (!sched.urgent_waits.load(memory_order_relaxed) ||
        pp.runnext.load(memory_order_relaxed) != nullptr)
        return {};
    const lock_guard guard(sched.mu);
    return {sched.urgent.empty() ? nullptr : global_get(pp, 1)};
}

found from_local(p& pp) {
    found f;
    f.gp = runq_get(pp, f.inherit);
    return f;
}

// A share of the global queue for self's p, which may take it away from another one.
g* take_global(m& self) ROTA_REQUIRES(sched.mu) {
    p* const from = sched.spiller.load(memory_order_relaxed);  // relaxed: written under sched.mu
    g* const gp = global_get(*self.pp, haul_max(self));
    if (gp != nullptr && from != nullptr) note_haul(self, *from);
    return gp;
}

found from_global(m& self) {
    if (sched.runq_size.load(memory_order_relaxed) == 0)
        return {};  // relaxed: looked at again before sleep
    const lock_guard guard(sched.mu);
    return {take_global(self)};
}

void become_spinning(m& self) {
    self.spinning = true;
    sched.nmspinning.fetch_add(1, memory_order_seq_cst);     // pairs(wake.submit)
    sched.need_spinning.store(false, memory_order_seq_cst);  // pairs(wake.need)
}

// At most half of the busy ps spin: more would only burn processors.
bool may_spin(m& self) {
    if (self.spinning) return true;
    if (2 * sched.nmspinning.load(memory_order_relaxed) >= busy_p_count())
        return false;  // relaxed: as above
    become_spinning(self);
    return true;
}

// One walk over all ps in random order. In the last one also their timers and runnext.
found steal_once(m& self, bool last) {
    p& pp = *self.pp;
    for (const std::int32_t i : steal_order(self.rand)) {
        p& victim = *sched.allp[i];
        if (last && victim.timers.earliest_hint() != 0 &&
            run_due_timers(self, victim, nanotime()) > 0) {
            if (found f = from_local(pp)) return f;
        }
        if (&victim == &pp || victim.status.load(memory_order_relaxed) == p_status::idle)
            continue;  // relaxed: a hint
        g* const gp = runq_steal(pp, victim, last, haul_max(self));
        if (gp == nullptr) continue;
        note_haul(self, victim);
        return {gp};
    }
    return {};
}

// Work that waits behind other work, not just in a runnext. The global queue comes first, here and
// below: what an m moves from there to its ring is not announced, and would be missed in between.
bool work_in_queues() {
    if (global_has_work()) return true;
    for (std::int32_t i = 0; i < proc_count(); ++i) {
        if (!runq_ring_empty(*sched.allp[i])) return true;
    }
    return false;
}

bool work_anywhere() {
    if (global_has_work()) return true;
    for (std::int32_t i = 0; i < proc_count(); ++i) {
        if (!runq_empty(*sched.allp[i])) return true;
    }
    return false;
}

// Nothing yet. Waking an idle core costs more than waiting a little.
found wait_for_work(m& self) {
    if (!is_waiting_worth_it()) return {};
    // Somebody who creates goroutines by the thousand spends most of that time on page faults.
    (void)stack_touch_ahead(stack_class_for(stack_size_default));
    const std::int64_t until = nanotime() + self.spin_ns;
    while (nanotime() < until) {
        procyield(30);
        if (sched.stop_wanted.load(memory_order_relaxed)) return {};  // relaxed: looked at again
        if (!work_anywhere()) continue;
        found f = from_global(self);
        if (!f) f = steal_once(self, true);
        if (!f) continue;
        self.spin_ns = m::spin_ns_max;
        return f;
    }
    self.spin_ns = self.spin_ns / 2 > spin_ns_min ? self.spin_ns / 2 : spin_ns_min;
    return {};
}

// What waits at `needy`: self was its only hope.
found serve(m& self, p& needy) {
    if (needy.timers.earliest_hint() != 0 && run_due_timers(self, needy, nanotime()) > 0) {
        if (found f = from_local(*self.pp)) return f;
    }
    if (&needy == self.pp) return {};
    g* const gp = runq_steal(*self.pp, needy, true, haul_max(self));
    if (gp != nullptr) note_haul(self, needy);
    return {gp};
}

// Leaves what there is to who makes it, if the last hauls say so, but nothing that he does not get
// on with, nor what others have.
found hold_back(m& self) {
    moment_of_patience patience(self);
    found f;
    touch_result touched = touch_result::done;  // stacks for the owner: see wait_for_work
    while (!f && patience.lasts()) {
        if (touched != touch_result::nothing_to_do)
            touched = stack_touch_ahead(stack_class_for(stack_size_default));
        if (touched != touch_result::done) procyield(60);
        if (sched.stop_wanted.load(memory_order_relaxed)) return {};  // relaxed: looked at again
        if (is_poll_overdue(nanotime())) f = from_netpoll(self);
    }
    if (!f && patience.needy() != nullptr) f = serve(self, *patience.needy());
    return f;
}

bool are_timers_anywhere() {
    for (std::int32_t i = 0; i < proc_count(); ++i)
        if (sched.allp[i]->timers.earliest_hint() != 0) return true;
    return false;
}

// All other ps are idle, with empty queues, and nothing but their timers may be due. For what comes
// up meanwhile self is an m that does not spin: who queues it sees an idle p and no spinner, or
// leaves word in need_spinning.
found from_timers_of_idle_ps(m& self) {
    self.haul.aid = 0;  // as where it looks in vain for a maker
    self.haul.patience_ns = 0;
    for (const std::int32_t i : steal_order(self.rand)) {
        p& other = *sched.allp[i];
        if (other.timers.earliest_hint() == 0 || run_due_timers(self, other, nanotime()) == 0)
            continue;
        found f = from_local(*self.pp);
        if (!f) continue;
        if (are_timers_anywhere()) wakep_later();  // or nobody polls meanwhile
        return f;
    }
    return {};
}

found from_other_ps(m& self) {
    constexpr int passes = 4;
    if (proc_count() == 1) return {};
    if (!self.spinning && busy_p_count() == 1) return from_timers_of_idle_ps(self);
    if (!may_spin(self)) return {};
    found f = hold_back(self);
    if (!f) f = from_global(self);
    for (int i = 0; i < passes && !f; ++i) f = steal_once(self, i == passes - 1);
    if (!f) f = wait_for_work(self);
    if (!f) note_spin(false);
    // A request that came meanwhile was meant for the wait, not for who begins now.
    self.preempt.store(false, memory_order_relaxed);  // relaxed: as in findrunnable
    return f;
}

// The p goes back to who has lent it, if nobody is in a hurry any more. False: self keeps it.
bool return_p(m& self) {
    if (self.spinning) return false;
    p& pp = releasep(self);
    if (give_back(pp)) return true;
    acquirep(self, pp);
    return false;
}

// Gives up the p, unless work has come meanwhile. Returns true if self holds a p and shall search
// again.
bool keep_p_after_all(m& self, found& f) ROTA_EXCLUDES(sched.mu) {
    const lock_guard guard(sched.mu);
    if (g* gp = take_global(self)) {
        f = {gp};
        return true;
    }
    if (!self.spinning && sched.need_spinning.load(memory_order_seq_cst)) {  // pairs(wake.need)
        become_spinning(self);
        return true;
    }
    p& pp = releasep(self);
    pidle_put(pp);
    // From here on submitters count this p as idle. One that looked before has left word in
    // need_spinning.
    if (self.spinning || !sched.need_spinning.load(memory_order_seq_cst))
        return false;  // pairs(wake.need)
    p* again = pidle_get();
    if (ROTA_UNLIKELY(again == nullptr)) return false;  // a stop of the world has taken it
    acquirep(self, *again);
    become_spinning(self);
    return true;
}

// Stops spinning, looks once more at every queue. True if self holds a p again.
bool last_look(m& self) {
    if (!self.spinning) return false;
    self.spinning = false;
    ROTA_CHECK(sched.nmspinning.fetch_sub(1, memory_order_seq_cst) > 0);  // pairs(wake.submit)
    sched_point(point::spinning_dropped);
    heavy_fence();  // pairs(wake.submit)
    if (!work_anywhere()) return false;
    if (!work_in_queues() && leave_next_to_sysmon()) return false;
    p* pp = nullptr;
    {
        const lock_guard guard(sched.mu);
        pp = pidle_get_spinning();
    }
    if (pp == nullptr) return false;
    acquirep(self, *pp);
    become_spinning(self);
    return true;
}

std::int64_t earliest_timer() {
    std::int64_t least = 0;
    for (std::int32_t i = 0; i < proc_count(); ++i) {
        timer_heap& timers = sched.allp[i]->timers;
        if (timers.bound() == 0) continue;
        // Who sleeps for timers is not idle: for one that has been stopped nobody shall.
        if (timers.size() == 0) timers.forget_bound();
        // Read once: another m may forget it, and then there is none, not one that is far away.
        const std::int64_t bound = timers.bound();
        if (bound == 0) continue;
        const std::int64_t when = timers.pace.run_at_ordered(bound);
        if (least == 0 || when < least) least = when;
    }
    return least;
}

// Sleeps until the next timer or until a descriptor is ready, if anybody waits for such and nobody
// sleeps there already. True if self slept; `ready` are those that can go on.
bool sleep_in_poller(ready_list& ready) {
    if (earliest_timer() == 0 && !net_poller.has_waiters()) return false;
    if (is_poller_elsewhere()) return false;
    if (sched.last_poll.exchange(0, memory_order_seq_cst) == 0)
        return false;  // pairs(timer.poller)
    // Announced. Who adds an earlier timer from here on sees that, and breaks the sleep.
    const std::int64_t until = earliest_timer();
    sched.poll_until.store(until, memory_order_seq_cst);  // pairs(timer.poller)
    if (until != 0 || net_poller.has_waiters())
        net_poller.sleep(until != 0 ? until : no_deadline, ready);
    sched.poll_until.store(0, memory_order_seq_cst);          // pairs(timer.poller)
    sched.last_poll.store(nanotime(), memory_order_seq_cst);  // pairs(timer.poller)
    return true;
}

// Takes an idle p after the poller's sleep, to run what is due. False: all ps are at work and look
// themselves.
bool take_idle_p(m& self, const ready_list& ready) {
    const std::int64_t now = nanotime();
    const lock_guard guard(sched.mu);
    p* const pp = pidle_get_due(now);
    if (pp == nullptr) return false;
    acquirep(self, *pp);
    go_on_lending(*pp);
    note_found(*pp, now, ready);
    return true;
}

// Nothing to do. Returns when self holds a p again.
void sleep_until_work(m& self) {
    if (last_look(self)) return;
    ready_list ready;
    if (sleep_in_poller(ready)) {
        if (take_idle_p(self, ready)) {
            if (ready.count > 0) queue_ready(self, ready);
            return;
        }
        inject_ready(ready);
    }
    stopm(self);
}

// The process exits: this m's goroutine is off its stack, and none will follow.
[[noreturn]] void stop_for_exit(m& self) {
    if (self.pp != nullptr)
        self.pp->status.store(p_status::gcstop, memory_order_release);  // pairs(exit.stopped)
    sleep_for_ever();
}

}  // namespace

ROTA_COLD void honour_stops(m& self) {
    if (sched.exiting.load(memory_order_relaxed)) stop_for_exit(self);  // relaxed: looked again
    if (!sched.stop_wanted.load(memory_order_relaxed)) return;          // relaxed: as above
    const lock_guard guard(sched.mu);
    // Still spinning, it looks once more at everything before it sleeps.
    if (sched.world_stops && self.pp != nullptr) give_to_stopper(releasep(self));
}

std::uint32_t run_due_timers(m& self, p& owner, std::int64_t now) {
    constexpr std::uint32_t batch = 64;
    timer_errand due[batch];
    std::uint32_t total = 0;
    // A heap that stops have emptied is its owner's to tidy, and no reason to keep others waiting.
    if (owner.timers.size() == 0 || next_timer_run(owner) > now) return 0;
    owner.timers.pace.begin_batch(now);
    const std::uint32_t queued_before = runq_length(*self.pp);
    // The first goroutine that a timer readies runs here, at once: only the others are worth waking
    // an m.
    self.ready_extras |= m::ready_quietly;
    for (;;) {
        const std::uint32_t n = owner.timers.pop_due(now, due, batch);
        run_errands(due, n);
        bump(self.pp->counts.timers_run, std::uint64_t{n});
        total += n;
        if (n < batch) break;
    }
    self.ready_extras &= m::ready_lasting;
    if (total == 0) return 0;
    constexpr std::uint32_t few = 128;
    const std::uint32_t queued = runq_length(*self.pp);
    owner.timers.pace.end_batch(now, total, owner.timers.size(), queued > queued_before);
    if (queued > few) wakep();
    else if (queued > 1 || owner.timers.earliest_hint() != 0)
        wakep_later();  // or nobody polls meanwhile
    return total;
}

found findrunnable(m& self) {
    for (;;) {
        // A new time slice begins; a request that comes from here on is meant for it.
        self.preempt.store(false, memory_order_relaxed);  // relaxed: advice
        if (ROTA_UNLIKELY(sched.through_g0.load(memory_order_relaxed) != 0))
            honour_stops(self);  // relaxed: looked again
        if (self.pp == nullptr) {
            sleep_until_work(self);
            continue;
        }
        p& pp = *self.pp;
        const bool behind_slice = end_slice(pp);
        poll_between(self);
        found f = from_global_in_turn(pp);
        if (f) return f;
        run_own_timers(self, pp);
        if (behind_slice && (f = from_global_behind_slice(pp))) return f;
        if ((f = from_urgent(pp))) return f;
        if ((f = from_local(pp))) return f;
        if (ROTA_UNLIKELY(pp.host != nullptr)) {
            if ((f = from_netpoll(self))) return f;
            if (return_p(self)) continue;
        }
        judge_haul(self);
        if (!leaves_spill(self) && (f = from_global(self))) return f;
        if (!may_rest(self)) {
            if ((f = from_netpoll(self))) return f;
            if ((f = from_other_ps(self))) return f;
        }
        if (keep_p_after_all(self, f)) {
            if (f) return f;
            continue;
        }
        sched_point(point::p_released);
        sleep_until_work(self);
    }
}

}  // namespace rota::rt
