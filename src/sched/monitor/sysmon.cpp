// Implements sysmon's rounds: retaking, naps and deep sleep, descriptors, stacks and reports.
#include "sched/monitor/sysmon.hpp"

#include <algorithm>

#include "core/sched.hpp"
#include "mem/stack.hpp"
#include "netpoll/poller.hpp"
#include "sched/base/hooks.hpp"
#include "sched/base/modes.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/base/wakeup.hpp"
#include "sched/goroutine/gfree.hpp"
#include "sched/m/m_lifecycle.hpp"
#include "sched/m/m_record.hpp"
#include "sched/m/m_thread.hpp"
#include "sched/monitor/preempt_watch.hpp"
#include "sched/policy/poll_trial.hpp"
#include "sched/queue/deadlock.hpp"
#include "sched/queue/idle.hpp"
#include "sched/queue/poll.hpp"
#include "sched/queue/poll_mode.hpp"
#include "sched/queue/run_queue.hpp"
#include "sched/queue/timers.hpp"
#include "sched/queue/trace_rest.hpp"
#include "sched/record/trace_events.hpp"
#include "sched/thread/syscall.hpp"
#include "sched/world/default_procs.hpp"
#include "sys/call/clock.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

constexpr std::int64_t syscall_grace = 10'000'000;  // ns for an unneeded p in a system call
constexpr long nap_min_us = 20, nap_max_us = 10'000;
constexpr long nap_touching_us = 100;     // in which touched stacks are not used up
constexpr long nap_alert_us = 200;        // while wake-ups are left to sysmon
constexpr long nap_alert_idle_us = 400;   // the same while all ps are idle
constexpr long nap_alert_busy_us = 1000;  // the same while no p is: there is no m to wake
constexpr long nap_starved_us = poll_starved_ns / 1000;
constexpr int starved_rounds = 100;
// rounds without an owed wake-up until sysmon is not alert any more
constexpr int alert_rounds = 50;
constexpr std::int64_t quiet_before_deep_sleep = 100'000'000;  // ns
constexpr std::int64_t watch_period = 200'000'000;  // ns: deep sleep while ms have lost a p,
                                                    // or seem to be deadlocked, or a trace rests
constexpr std::int64_t probe_period = 1'000'000;
constexpr std::int64_t scavenge_period = 1'000'000'000;
constexpr std::uint64_t scavenge_step = 1024;                // stacks a round: about a millisecond
constexpr std::int64_t idle_before_release = 1'000'000'000;  // ns: then all dead goroutines go

// Whether the goroutines of pp have had the slice that began with the tick last seen. Short system
// calls of a goroutine do not end its slice.
bool is_slice_over(p& pp, std::int64_t now) {
    const std::uint32_t tick = pp.sched_tick.load(memory_order_relaxed);  // relaxed: one round late
    const m* const mp = pp.mp.load(memory_order_relaxed);                 // relaxed: compared only
    if (pp.seen_sched_tick != tick || (mp != nullptr && mp != pp.seen_mp)) {
        pp.seen_mp = mp;
        pp.seen_mp_when = now;
    }
    if (pp.seen_sched_tick != tick) {
        pp.seen_sched_tick = tick;
        pp.seen_sched_when = now;
        return false;
    }
    return now - pp.seen_sched_when >= time_slice;
}

// Asks the goroutine that runs on pp to yield at its next runtime operation. A slice is inherited:
// it may have passed on other threads, or on threads without a processor, while the present thread
// has just begun.
void preempt_one(p& pp, std::int64_t now) {
    constexpr std::int64_t just_now = 1'000'000;
    m* const mp = pp.mp.load(memory_order_acquire);  // pairs(p.m)
    if (mp == nullptr) return;
    const bool is_watched = pp.watch.mp == mp && pp.watch.tick == pp.seen_sched_tick;
    ask_to_yield(*mp, pp.seen_sched_tick,
                 mp != pp.seen_mp || now - pp.seen_mp_when < just_now ||
                     (is_watched && has_hardly_begun(pp, now)));
}

// Whether a p that has been in the same system call since the last look should be taken.
bool is_syscall_p_needed(p& pp, std::int64_t now) {
    const std::uint32_t tick =
        pp.syscall_tick.load(memory_order_relaxed);  // relaxed: one round late
    if (pp.seen_syscall_tick != tick) {
        pp.seen_syscall_tick = tick;  // a call that began since the last look: give it one round
        pp.seen_syscall_when = now;
        return false;
    }
    if (!runq_empty(pp) || global_has_work()) return true;
    // relaxed: decided again in the next round
    const std::int32_t free_hands =
        sched.nmspinning.load(memory_order_relaxed) + sched.idle_p_count.load(memory_order_relaxed);
    return free_hands == 0 || now - pp.seen_syscall_when >= syscall_grace;
}

// Whether timers of pp are due. No m looks at them while pp's goroutine goes from call to call and
// all other ps are busy. Go: sysmon, timeSleepUntil.
bool has_due_timers(const p& pp, std::int64_t now) { return next_timer_run(pp) <= now; }

// Takes pp from a system call and hands it on. While sysmon, which is no m, holds the p, all ms may
// be asleep without a deadlock: the deadlock detector is told, and asked again afterwards.
bool take_from_syscall(p& pp) {
    sched.retaking.store(true, memory_order_relaxed);  // relaxed: published by the exchange below
    const bool taken = retake_syscall_p(pp);
    if (taken) {
        bump(pp.syscall_tick);
        shared_counts.handoffs.fetch_add(1, memory_order_relaxed);  // relaxed: for reports
        handoffp(pp);
    }
    bool dead = false;
    {
        const lock_guard guard(sched.mu);
        sched.retaking.store(false, memory_order_relaxed);  // relaxed: under sched.mu
        dead = is_deadlocked();
    }
    if (dead) confirm_deadlock();
    return taken;
}

// Asks goroutines to yield whose slice is over; takes ps from system calls. True: took a p.
bool retake(std::int64_t now) {
    bool any = false;
    for (std::int32_t i = 0; i < proc_count(); ++i) {
        p& pp = *sched.allp[i];
        const p_status status =
            pp.status.load(memory_order_relaxed);  // relaxed: taking is an exchange
        if (status != p_status::running && status != p_status::syscall) continue;
        const bool slice_over = is_slice_over(pp, now);
        if (slice_over) preempt_one(pp, now);
        if (status == p_status::running) continue;
        const bool overdue =
            slice_over && (!runq_empty(pp) || global_has_work() || has_due_timers(pp, now));
        if (!overdue && !is_syscall_p_needed(pp, now)) continue;
        any = take_from_syscall(pp) || any;
    }
    return any;
}

// Whether timers wait although a p is idle, and no m sleeps in the poller for them. A poller that
// sleeps past a timer by more than late_max has missed its wake-up, and gets another.
bool timers_unpolled(std::int64_t now) {
    constexpr std::int64_t late_max = 10'000'000;
    // an m at work looks at them itself: sched/policy/poll_trial
    if (has_busy_poller()) return false;
    const bool polled = sched.last_poll.load(memory_order_seq_cst) == 0;   // pairs(timer.poller)
    if (sched.idle_p_count.load(memory_order_relaxed) == 0) return false;  // relaxed: a hint
    bool any = false;
    bool late = false;
    for (std::int32_t i = 0; i < proc_count(); ++i) {
        const std::int64_t when = sched.allp[i]->timers.earliest_hint();
        any = any || when != 0;
        late = late || (when != 0 && when < now - late_max);
    }
    if (polled && late) net_poller.wake();
    return any && !polled;
}

bool all_idle() {
    return sched.idle_p_count.load(memory_order_relaxed) == proc_count();
}  // relaxed: a hint

// Sleeps until a p is taken, or only for a while if anything is watched. With dead goroutines it
// sleeps at most until `release_at`; 0: they stay. True: a p was taken, or is busy already.
bool deep_sleep(bool follows_anyone, std::int64_t release_at) {
    bool watches = follows_anyone;
    // An m may be on its way to the poller; and a p may have become idle without an m that looks
    // for that.
    // pairs(timer.poller)
    if (sched.last_poll.load(memory_order_seq_cst) != 0 && is_poller_needed()) {
        wakep();
        return true;
    }
    {
        const lock_guard guard(sched.mu);
        // There are three reasons not to sleep: a p for which there was no m is idle, and sysmon
        // must ask again; a goroutine has been kept from beginning since the last look; threads are
        // to be served.
        // pairs(wake.owed)
        if (sched.stopping || !all_idle() || sched.wake_owed.load(memory_order_seq_cst) ||
            !sched.deferred_starts.empty())
            return true;
        sched.sysmon_note.clear();
        sched.sysmon_wait.store(true, memory_order_relaxed);  // relaxed: under sched.mu
        // relaxed: as above
        watches =
            watches || sched.deadlock_suspected.load(memory_order_relaxed) || is_trace_resting();
        if (release_at != 0 && !gfree_has_idle()) release_at = 0;
    }
    if (!watches && release_at == 0) {
        sched.sysmon_note.sleep();
        return true;
    }
    std::int64_t until = release_at;
    if (watches) {
        until = nanotime() + watch_period;
        if (release_at != 0) until = std::min(until, release_at);
    }
    if (sched.sysmon_note.sleep_until(until)) return true;
    const lock_guard guard(sched.mu);
    if (!sched.sysmon_wait.load(memory_order_relaxed)) return true;  // relaxed: under sched.mu
    sched.sysmon_wait.store(false, memory_order_relaxed);            // relaxed: as above
    return false;
}

// Whether a g waits that no m is about to run. A g in runnext runs as soon as the goroutine before
// it waits: it counts only if its p has made no step since the last look.
bool does_work_wait() {
    if (global_has_work()) return true;
    bool any = false;
    for (std::int32_t i = 0; i < proc_count(); ++i) {
        p& pp = *sched.allp[i];
        // relaxed: looked at again in the next round
        const std::uint64_t steps =
            pp.counts.parks.load(memory_order_relaxed) + pp.counts.ended.load(memory_order_relaxed);
        const bool same = steps == pp.seen_steps;
        pp.seen_steps = steps;
        any = any ||
              pp.runq_head.load(memory_order_relaxed) != pp.runq_tail.load(memory_order_relaxed) ||
              (same && pp.runnext.load(memory_order_relaxed) != nullptr);
    }
    return any;
}

bool are_timers_late(std::int64_t now) {
    bool late = false;
    for (std::int32_t i = 0; i < proc_count() && !late; ++i)
        late = has_due_timers(*sched.allp[i], now);
    return late;
}

struct watch {
    preempt_watch preemption;
    poll_mode_trial poll_trial;
    long nap_us = nap_min_us;
    bool touched = false;  // stacks, in the last round
    int idle_rounds = 0;   // without a retake
    // ns: start of the time with all ps idle and the longest naps; 0: not so
    std::int64_t quiet_since = 0;
    std::int64_t next_trace = 0;
    std::int64_t next_deadlocks = 0;  // ns: when to look for deadlocks
    std::int64_t next_plan = 0;       // ns: when to look for unused stacks
    std::uint64_t to_release = 0;     // unused stacks still to be given back
    int alert_left = 0;               // rounds
    std::int64_t next_probe = 0;
    int starved_left = 0;  // rounds in which descriptors are looked at often

    void round() {
        if (idle_rounds == 0) nap_us = touched ? nap_touching_us : nap_min_us;
        else if (idle_rounds > 50) nap_us = nap_us * 2 < nap_max_us ? nap_us * 2 : nap_max_us;
        if (alert_left > 0) {
            const std::int32_t idle =
                sched.idle_p_count.load(memory_order_relaxed);  // relaxed: a hint
            long at_most = nap_alert_us;
            if (idle == proc_count()) at_most = nap_alert_idle_us;
            else if (idle == 0) at_most = nap_alert_busy_us;
            if (nap_us > at_most) nap_us = at_most;
        }
        if (starved_left > 0 && nap_us > nap_starved_us) nap_us = nap_starved_us;
        const std::int64_t then = nanotime();
        const long nap_at_most =
            std::min(chaos.on ? nap_us : preemption.nap_us_max(then), poll_trial.nap_us_max(then));
        thread_sleep_ns(std::min(nap_us, nap_at_most) * 1000);
        const std::int64_t now = nanotime();
        note_time(now);
        settle_owed_wakeups(now);
        bool taken = retake(now);
        if (!chaos.on) taken = preemption.round(now) || taken;
        idle_rounds = taken ? 0 : idle_rounds + 1;
        touched = touch_stacks();
        if (touched) idle_rounds = 0;
        if (timers_unpolled(now)) wakep();
        poll_trial.round(now);
        look_at_descriptors(now);
        look_at_limits(now);
        scavenge(now);
        trace_wake_rested(now);
        trace(now);
        look_for_deadlocks(now);
        look_at_suspicion();
        const bool quiet =
            all_idle() && nap_us == nap_max_us && alert_left == 0 && preemption.is_quiet();
        if (!quiet) quiet_since = 0;
        else if (quiet_since == 0) quiet_since = now;
        if (!quiet || now - quiet_since < quiet_before_deep_sleep || release_all(now) ||
            hooks.schedtrace_period > 0 || hooks.deadlock_period > 0)
            return;
        const std::int64_t release_at = quiet_since + idle_before_release;
        // Goroutines whose threads are blocked may begin to compute, and only sysmon sees that.
        if (!deep_sleep(preemption.follows_anyone(), now < release_at ? release_at : 0)) return;
        poll_trial.note_rest(nanotime());
        idle_rounds = 0;
        quiet_since = 0;
    }

    // Touches stacks ahead while a processor is free: spares a goroutine that creates thousands of
    // goroutines the guards and page faults. Some 30 us a call. True: to be done again soon.
    bool touch_stacks() const {
        if (busy_p_count() >= processor_count()) return false;
        const int at_most = alert_left > 0 ? 4 : 16;
        for (int n = 0; n < at_most; ++n) {
            const touch_result r = stack_touch_ahead(stack_class_for(stack_size_default));
            if (r != touch_result::done) return n > 0 || r == touch_result::busy;
        }
        return true;
    }

    void look_at_descriptors(std::int64_t now) {
        const std::int64_t stale = starved_left > 0 ? poll_starved_ns : poll_stale_ns;
        const bool looked =
            poll_if_stale(now, poll_trial.is_on() ? poll_trial.stale_after() : stale);
        if (looked && poll_trial.is_on()) poll_trial.note_neglect();
        // A waiter for a descriptor may have run, and gone to sleep, before it was discounted.
        if (looked && all_idle()) suspect_deadlock();
        // A p that goes from goroutine to goroutine polls itself; if it has not, it had no
        // processor.
        if (looked && !preemption.do_all_move()) starved_left = starved_rounds;
        else if (starved_left > 0) --starved_left;
    }

    void stop_being_alert() {
        alert_left = 0;
        sched.sysmon_alert.store(false, memory_order_seq_cst);  // pairs(wake.owed)
        if (sched.wake_owed.load(memory_order_seq_cst) || does_work_wait())
            wakep();  // pairs(wake.owed)
    }

    // Printing may block, and sysmon does not look after the ps meanwhile.
    void prepare_to_block(std::int64_t now) {
        if (alert_left > 0) stop_being_alert();
        poll_trial.end(now);
    }

    // Pays the wake-ups that wakep_later has left.
    void settle_owed_wakeups(std::int64_t now) {
        if (sched.wake_owed.exchange(false, memory_order_seq_cst)) {  // pairs(wake.owed)
            alert_left = alert_rounds;
            sched.sysmon_alert.store(true, memory_order_seq_cst);  // pairs(wake.owed)
        } else if (alert_left > 0 && --alert_left == 0) {
            stop_being_alert();
        }
        if (alert_left == 0) return;
        // Once a millisecond a spin gets another chance: work that comes and goes between two looks
        // of sysmon may well be worth sharing.
        if (now >= next_probe) {
            next_probe = now + probe_period;
            allow_one_vain_spin();
        }
        if (does_work_wait()) wakep();  // timers_unpolled is asked in every round
        else if (!are_timers_late(now)) forget_missed_ms();
    }

    // When no goroutine has run for a second: gives a few dead goroutines back, and says whether
    // there may be more. Deep sleep waits for the last of them, since no event that ends it would
    // bring sysmon back to them. While a trace keeps them, they wait for a later round.
    bool release_all(std::int64_t now) const {
        if (now - quiet_since < idle_before_release) return false;
        {
            const lock_guard guard(sched.mu);
            if (!all_idle()) return true;
            gfree_gather_idle();
        }
        if (gfree_count() == 0 || is_first_of_trace()) return false;
        gfree_release(scavenge_step);
        return true;
    }

    void scavenge(std::int64_t now) {
        // relaxed, both: a request, a round late
        const bool wanted = stack_release_wanted.load(memory_order_relaxed) &&
                            stack_release_wanted.exchange(false, memory_order_relaxed);
        if (wanted || now >= next_plan) {
            to_release = gfree_unused(wanted);
            next_plan = now + scavenge_period;
        }
        const std::uint64_t n = to_release < scavenge_step ? to_release : scavenge_step;
        if (n > 0) gfree_release(n);
        to_release -= n;
    }

    void trace(std::int64_t now) {
        if (hooks.schedtrace_period == 0 || now < next_trace) return;
        prepare_to_block(now);
        hooks.schedtrace(now);
        next_trace = now + hooks.schedtrace_period;
    }

    void look_for_deadlocks(std::int64_t now) {
        if (hooks.deadlock_period == 0 || now < next_deadlocks) return;
        prepare_to_block(now);
        hooks.look_for_deadlocks();
        next_deadlocks = now + hooks.deadlock_period;
    }
};

// Serves threads of the program's own while the process exits and no m schedules any more. They may
// still wait with time limits and for descriptors, and a thread that a static destructor joins must
// get on: sysmon becomes a thread like them, and looks. Goroutines that it readies stay in their
// queues; what timers would begin (time/func_timer.cpp, context/deadline.cpp) does not begin.
[[noreturn]] void serve_threads() {
    constexpr long look_ns = 1'000'000;
    constexpr std::uint32_t batch = 64;
    sched.sysmon_alert.store(false, memory_order_seq_cst);  // pairs(wake.owed)
    for (;;) {
        {
            const runtime_entry inside;
            const std::int64_t now = nanotime();
            timer_errand due[batch];
            for (std::int32_t i = 0; i < made_count(); ++i) {
                while (const std::uint32_t n = sched.allp[i]->timers.pop_due(now, due, batch))
                    run_errands(due, n);
            }
            (void)poll_if_stale(now, 0);
        }
        thread_sleep_ns(look_ns);
    }
}

void* sysmon(void*) {
    thread_set_name("rota-sysmon");
    thread_block_signals();
    sched.sysmon_tid.store(current_thread_id(), memory_order_relaxed);  // relaxed: for reports
    watch w;
    for (;;) {
        if (sched.exiting.load(memory_order_relaxed)) serve_threads();  // relaxed: looked at again
        w.round();
    }
}

}  // namespace

void start_sysmon() {
    constexpr std::size_t stack_size = 128 * 1024;
    start_thread(sysmon, nullptr, stack_size);
    shared_counts.stack_bytes.fetch_add(whole_stack_size(stack_size),
                                        memory_order_relaxed);  // relaxed: for reports
}

}  // namespace rota::rt
