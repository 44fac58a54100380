// Searches for work for an m: fairness first, then the nearest queue, then the queues of other ps,
// then one last look, then sleep.
//
// Every place where work can be is one line of findrunnable; the last look before sleep
// (work_anywhere) reads the same queues. An m that stops spinning gives up its p first, then drops
// the spinner count, then looks at every queue again. sched/base/wakeup.hpp explains the barriers.
#include "sched/base/schedule.hpp"

#include <algorithm>

#include "arch/context.hpp"
#include "netpoll/poller.hpp"
#include "sched/base/steal_order.hpp"
#include "sched/base/wakeup.hpp"
#include "sched/m/m_lifecycle.hpp"
#include "sched/policy/steal_feedback.hpp"
#include "sched/preempt/lend.hpp"
#include "sched/queue/idle.hpp"
#include "sched/queue/m_bind.hpp"
#include "sched/queue/poll.hpp"
#include "sched/queue/poll_mode.hpp"
#include "sched/queue/run_queue.hpp"
#include "sched/queue/timers.hpp"
#include "sys/call/clock.hpp"
#include "sys/thread/asymmetric.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

// An m without work waits for some before it sleeps. Each vain wait halves the next wait.
constexpr std::int32_t spin_ns_min = 1'000;

// The first goroutine that a timer readies runs next. The rest would stand behind the whole ring,
// for seconds if the ring is full of goroutines that use up their slices. Then the rest is urgent,
// and any p may run it.
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

// A goroutine that was readied last goes on with the slice of its waker, but not when the slice is
// over. It would be asked to yield at once, and would leave the slice to a goroutine that it has
// readied itself. A chain of goroutines that begin each other would keep out every other goroutine,
// and none of the chain would end.
bool end_slice(p& pp) {
    if (ROTA_LIKELY(!pp.slice_over)) return false;
    pp.slice_over = false;
    pp.lender = nullptr;  // a p that runs whole slices is lent no longer
    runq_put_next_last(pp);
    return true;
}

// Takes several goroutines, as far as the ring has room. If the ring never gets empty but spills
// into the global queue, single goroutines would wait there 61 times as long as those in the ring.
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
// starve it. Due timers wait meanwhile in their heap, where sysmon sees them. A goroutine that they
// readied now would wait for the slice of the goroutine from the global queue, and then stand last.
found from_global_in_turn(p& pp) {
    const std::uint32_t tick = pp.sched_tick.load(memory_order_relaxed);  // relaxed: our own
    return tick % 61 == 0 ? some_from_global(pp) : found{};
}

// Behind a slice, which is as long as many turns, the ring and the global queue take turns. A
// goroutine that a timer has just readied comes before either.
found from_global_behind_slice(p& pp) {
    if (pp.runnext.load(memory_order_relaxed) != nullptr) return {};  // relaxed: a hint
    pp.global_was_first = !pp.global_was_first;
    return pp.global_was_first ? some_from_global(pp) : found{};
}

// A lent p serves the urgent goroutines first; any other p serves one of them at every eighth tick.
found from_urgent(p& pp) {
    // relaxed, here and below: our own, and hints
    if (pp.lender == nullptr && (pp.sched_tick.load(memory_order_relaxed) & 7) != 0) return {};
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

// Takes a share of the global queue for self's p; the goroutines may come from another p's ring.
g* take_global(m& self) ROTA_REQUIRES(sched.mu) {
    p* const from = sched.spiller.load(memory_order_relaxed);  // relaxed: written under sched.mu
    g* const gp = global_get(*self.pp, steal_max(self));
    if (gp != nullptr && from != nullptr) note_steal(self, *from);
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

// At most half of the busy ps spin: more spinners would only burn processors.
bool may_spin(m& self) {
    if (self.spinning) return true;
    if (2 * sched.nmspinning.load(memory_order_relaxed) >= busy_p_count())
        return false;  // relaxed: as above
    become_spinning(self);
    return true;
}

// Walks over the ps in random order once. The last walk also takes their timers and runnext.
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
        g* const gp = runq_steal(pp, victim, last, steal_max(self));
        if (gp == nullptr) continue;
        note_steal(self, victim);
        return {gp};
    }
    return {};
}

// Whether work waits behind other work, and not only in a runnext. Here and below the global queue
// is read first: an m moves goroutines from there to its ring unannounced, and a look in the other
// order could miss them.
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

// Found nothing yet: waits a little, which costs less than to wake an idle core.
found wait_for_work(m& self) {
    if (!is_waiting_worth_it()) return {};
    // A p that creates goroutines by the thousand spends most of its time on page faults.
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

// Serves `starving_p`: while self spun, no other m was woken for its work.
found serve_starving_p(m& self, p& starving_p) {
    if (starving_p.timers.earliest_hint() != 0 &&
        run_due_timers(self, starving_p, nanotime()) > 0) {
        if (found f = from_local(*self.pp)) return f;
    }
    if (&starving_p == self.pp) return {};
    g* const gp = runq_steal(*self.pp, starving_p, true, steal_max(self));
    if (gp != nullptr) note_steal(self, starving_p);
    return {gp};
}

// Leaves work to its producer if the last steals say so. Takes work that the producer makes no
// progress with, and work of other ps.
found hold_back(m& self) {
    steal_backoff backoff(self);
    found f;
    // touches stacks for the producer: see wait_for_work
    touch_result touched = touch_result::done;
    while (!f && backoff.lasts()) {
        if (touched != touch_result::nothing_to_do)
            touched = stack_touch_ahead(stack_class_for(stack_size_default));
        if (touched != touch_result::done) procyield(60);
        if (sched.stop_wanted.load(memory_order_relaxed)) return {};  // relaxed: looked at again
        if (is_poll_overdue(nanotime())) f = from_netpoll(self);
    }
    if (!f && backoff.starving_p() != nullptr) f = serve_starving_p(self, *backoff.starving_p());
    return f;
}

bool are_timers_anywhere() {
    for (std::int32_t i = 0; i < proc_count(); ++i)
        if (sched.allp[i]->timers.earliest_hint() != 0) return true;
    return false;
}

// The other ps are idle, with empty queues, and only their timers may be due. Meanwhile self counts
// as an m that does not spin: a submitter sees an idle p and no spinner, or sets need_spinning.
found from_timers_of_idle_ps(m& self) {
    self.last_steal.rescue_max = 0;  // there is no producer
    self.last_steal.backoff_ns = 0;
    for (const std::int32_t i : steal_order(self.rand)) {
        p& other = *sched.allp[i];
        if (other.timers.earliest_hint() == 0 || run_due_timers(self, other, nanotime()) == 0)
            continue;
        found f = from_local(*self.pp);
        if (!f) continue;
        if (are_timers_anywhere()) wakep_later();  // or no m polls meanwhile
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
    // A request to yield that came meanwhile was meant for the wait, not for the next goroutine.
    self.preempt.store(false, memory_order_relaxed);  // relaxed: as in findrunnable
    return f;
}

// Gives a lent p back to its lender, if no urgent work is left. False: self keeps it.
bool return_p(m& self) {
    if (self.spinning) return false;
    p& pp = releasep(self);
    if (return_to_lender(pp)) return true;
    acquirep(self, pp);
    return false;
}

// Gives up the p, unless work has come meanwhile. True: self holds a p, and has found a goroutine
// or searches again.
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
    // From here on submitters count this p as idle. A submitter that looked before has set
    // need_spinning.
    if (self.spinning || !sched.need_spinning.load(memory_order_seq_cst))
        return false;  // pairs(wake.need)
    p* again = pidle_get();
    if (ROTA_UNLIKELY(again == nullptr)) return false;  // a stop of the world has taken it
    acquirep(self, *again);
    become_spinning(self);
    return true;
}

// Stops spinning, and looks once more at every queue. True: self holds a p again.
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
        // An m that sleeps for timers is not idle: it must not sleep for stopped timers.
        if (timers.size() == 0) timers.forget_bound();
        // Read once: another m may forget the bound. Then there is no timer, not a distant timer.
        const std::int64_t bound = timers.bound();
        if (bound == 0) continue;
        const std::int64_t when = timers.pace.run_at_ordered(bound);
        if (least == 0 || when < least) least = when;
    }
    return least;
}

// Sleeps until the next timer is due or a descriptor is ready, if any goroutine waits for that and
// no m sleeps there already. True: self has slept. `ready`: the goroutines that can go on.
bool sleep_in_poller(ready_list& ready) {
    if (earliest_timer() == 0 && !net_poller.has_waiters()) return false;
    if (has_busy_poller()) return false;
    if (sched.last_poll.exchange(0, memory_order_seq_cst) == 0)
        return false;  // pairs(timer.poller)
    // Announced: a thread that adds an earlier timer from here on sees that, and ends the sleep.
    const std::int64_t until = earliest_timer();
    sched.poll_until.store(until, memory_order_seq_cst);  // pairs(timer.poller)
    if (until != 0 || net_poller.has_waiters())
        net_poller.sleep(until != 0 ? until : no_deadline, ready);
    sched.poll_until.store(0, memory_order_seq_cst);          // pairs(timer.poller)
    sched.last_poll.store(nanotime(), memory_order_seq_cst);  // pairs(timer.poller)
    return true;
}

// Takes an idle p after the poller's sleep, to run what is due. False: every p is at work, and its
// m looks itself.
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

// The process exits: this m's goroutine is off its stack, and no goroutine follows.
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
    // An m that still spins looks once more at every queue before it sleeps.
    if (sched.world_stops && self.pp != nullptr) give_to_stopper(releasep(self));
}

std::uint32_t run_due_timers(m& self, p& owner, std::int64_t now) {
    constexpr std::uint32_t batch = 64;
    timer_errand due[batch];
    std::uint32_t total = 0;
    // A heap that holds only stopped timers is left to its owner: an empty batch would delay the
    // timers that come next.
    if (owner.timers.size() == 0 || next_timer_run(owner) > now) return 0;
    owner.timers.pace.begin_batch(now);
    const std::uint32_t queued_before = runq_length(*self.pp);
    // The first goroutine that a timer readies runs here, at once. Only further goroutines are
    // worth the wake-up of an m.
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
        wakep_later();  // or no m polls meanwhile
    return total;
}

found findrunnable(m& self) {
    for (;;) {
        // A new time slice begins; a request that comes from here on is meant for it.
        self.preempt.store(false, memory_order_relaxed);  // relaxed: advice
        if (ROTA_UNLIKELY(sched.direct_switch_blockers.load(memory_order_relaxed) != 0))
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
        if (ROTA_UNLIKELY(pp.lender != nullptr)) {
            if ((f = from_netpoll(self))) return f;
            if (return_p(self)) continue;
        }
        rate_last_steal(self);
        if (!leaves_spill(self) && (f = from_global(self))) return f;
        if (!may_idle(self)) {
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
