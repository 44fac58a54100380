// Looks at every p, takes ps from ms that block or compute outside the runtime, and follows these
// ms. All of it runs on sysmon's thread, allocates nothing, and takes only locks of the runtime.
#include "sched/monitor/preempt_watch.hpp"

#include <algorithm>
#include <utility>

#include "base/fatal.hpp"
#include "sched/base/wakeup.hpp"
#include "sched/m/m_lifecycle.hpp"
#include "sched/m/template_thread.hpp"
#include "sched/monitor/successor.hpp"
#include "sched/preempt/lend.hpp"
#include "sched/preempt/retake.hpp"
#include "sched/preempt/suspend.hpp"
#include "sched/preempt/thread_state.hpp"
#include "sched/queue/deadlock.hpp"
#include "sched/queue/placement.hpp"
#include "sched/queue/run_queue.hpp"
#include "sched/queue/timers.hpp"
#include "sys/call/clock.hpp"
#include "sys/proc/thread_status.hpp"
#include "sys/signal/stop_handler.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

constexpr std::int64_t blocked_grace = 100'000;  // ns: a call that blocks for less keeps its p
constexpr std::int64_t blocked_unneeded = 10'000'000;
constexpr std::int64_t answer_time = 20'000;           // ns: to honour a request to yield
constexpr std::int64_t cpu_without_p_max = 1'000'000;  // ns of a thread's CPU time
constexpr std::int64_t unknown_grace = 2'000'000;  // ns of a still clock in an unknown thread state
constexpr std::int64_t stuck_after = 30'000'000;   // ns
constexpr std::int64_t stuck_after_amid_others = 300'000'000;
// ns between two attempts to start the template thread
constexpr std::int64_t template_period = 100'000'000;
constexpr std::int64_t attention = 50'000'000;     // ns after a stop: more stops are likely
constexpr int follow_at_most = 64;                 // number of ms that a round looks at
constexpr std::int64_t progress_period = 400'000;  // ns between two rounds of note_progress
constexpr std::int64_t short_turn = 50'000;        // ns: a p with such turns makes progress
constexpr std::int64_t lent_time = 200'000;        // ns of CPU time that the lender of a lent p has
constexpr std::int64_t lending_period = 250'000;   // ns between two lendings in one turn
constexpr long lent_look_us = 50;
// The longest turn of a thread that waits for a processor of the machine.
constexpr std::int64_t waiting_max = 100'000'000;    // ns
constexpr std::int64_t lending_max = 2'000'000;      // ns: a lender away for longer has a new turn
constexpr std::int64_t idle_beside_max = 1'000'000;  // ns
// A thread that is to stop may wait for a processor for this time before it stands in line.
constexpr std::int64_t stop_takes = 1'000'000'000;

bool is_timer_due(const p& pp, std::int64_t now) { return next_timer_run(pp) <= now; }

bool is_needed(const p& pp, std::int64_t now) {
    return global_has_work() || !runq_empty(pp) || is_timer_due(pp, now);
}

// Whether pp is idle on purpose: work that any p may take is left to the ps at work
// (sched/policy/poll_trial).
bool is_idle_on_purpose(const p& pp, std::int64_t now) {
    // relaxed, both: sysmon's own; and a hint
    return sched.single_poller.load(memory_order_relaxed) &&
           pp.status.load(memory_order_relaxed) == p_status::idle && runq_empty(pp) &&
           !is_timer_due(pp, now);
}

bool is_any_idle() {
    return sched.idle_p_count.load(memory_order_relaxed) != 0;  // relaxed: a hint
}

// Whether a thread has computed for most of the time between two looks at its clock.
bool is_most(std::int64_t spent, std::int64_t time) { return spent >= time - time / 4; }

// Whether the m has computed for most of the time that it was watched.
bool is_steady(const p& pp) {
    return is_most(pp.watch.cpu - pp.watch.observed_cpu, nanotime() - pp.watch.observed_at);
}

// Whether no goroutine waits for pp, or only a single urgent goroutine does.
bool has_no_waiters(const p& pp) {
    // relaxed, both: hints
    const std::uint32_t hurried = sched.urgent_waits.load(memory_order_relaxed) ? 1 : 0;
    return runq_empty(pp) && sched.runq_size.load(memory_order_relaxed) <= hurried;
}

// Whether pp, which urgent work needs, is to be lent, so that its goroutine's turn goes on.
bool is_for_others(const p& pp, std::int64_t now) {
    return now - pp.watch.since < time_slice || has_no_waiters(pp);
}

// Whether only stopped threads wait for a p: both queues of goroutines are empty.
bool do_only_suspended_wait() {
    const lock_guard guard(sched.mu);
    return sched.runq.empty() && sched.urgent.empty();
}

// Whether mp's thread would compute if it had a processor: its turn on pp began where it was
// stopped, it has not slept since, and it has no processor.
bool waits_computing(const p& pp, const m& mp, int tid) {
    // relaxed: a guess
    if (pp.watch.cpu < 0 || mp.resumed_in_slice.load(memory_order_relaxed) != turn_of(pp))
        return false;
    std::uint64_t sleeps = 0;
    return state_of_thread(tid, sleeps) == thread_state::awake &&
           sleeps == mp.sleeps_at_resume.load(memory_order_relaxed) &&  // relaxed: a guess
           thread_cpu_time(tid) == pp.watch.cpu;
}

// ns that pp's thread has computed in its turn. The time before the first look at its clock counts
// as computed.
std::int64_t spent_in_turn(const p& pp) {
    return pp.watch.cpu - pp.watch.cpu_first + (pp.watch.first_at - pp.watch.since);
}

std::int64_t allowance_of(const m& mp) {
    return mp.slice_used != 0 ? lent_time : cpu_without_p_max;
}

// Continues the turn of mp's goroutine on pp, if mp had lent its p and that turn is not over.
void go_on_with_turn(const p& pp, decltype(p::watch)& w, m& mp) {
    const std::int64_t used = std::exchange(mp.slice_used, 0);
    const std::int64_t away = w.since - mp.lent_at;
    if (used == 0 || away > (mp.lent_waiting ? waiting_max : lending_max)) return;
    if (mp.resumed_in_slice.load(memory_order_relaxed) != turn_of(pp)) return;  // relaxed: a guess
    // The time without the p counts if the thread waited for a processor: otherwise its turn would
    // never end.
    w.since -= mp.lent_waiting ? used + away : used;
    // the rest of the turn was waiting
    if (mp.lent_waiting) w.first_at = w.since + mp.slice_computed;
    w.cpu = mp.cpu_seen;  // sysmon has followed mp meanwhile
    w.observed_cpu = mp.observed_cpu;
    w.observed_at = mp.observed_at;
}

// From here on mp's thread may run for `allowance` ns of its CPU time without a p.
void allow(m& mp, std::int64_t allowance) {
    mp.cpu_seen = thread_cpu_time(mp.tid.load(memory_order_relaxed));  // relaxed: see tid
    mp.observed_cpu = mp.cpu_seen;
    mp.observed_at = nanotime();
    mp.allowance = allowance;
    mp.sleeps_known = false;
}

}  // namespace

bool has_hardly_begun(const p& pp, std::int64_t now) {
    const auto& w = pp.watch;
    if (w.cpu < 0 || w.cpu_first < 0) return false;
    const std::int64_t spent = spent_in_turn(pp);
    return spent < stop_settings.interactive_after && spent < (now - w.since) / 4;
}

void allow_thread_stops(int signal, std::int64_t interactive_after) {
    stop_settings.signal = signal;
    stop_settings.interactive_after = interactive_after;
    stop_settings.stops = true;
    on_stop_signal(signal, suspend_here);
}

bool preempt_watch::round(std::int64_t now) {
    look_again_ = soon::no;
    control_admission(now);
    if (sched.no_stops.load(memory_order_relaxed)) {  // relaxed: looked at again
        release_all_suspended();
        return false;
    }
    find_longest_turn();
    bool taken = false;
    for (std::int32_t i = 0; i < proc_count(); ++i) taken = look_at(*sched.allp[i], now) || taken;
    follow();
    release_stuck_ms(now);
    if (now < attentive_until_) wake_for_idle_p(now);
    note_progress(now);
    return taken;
}

long preempt_watch::nap_us_max(std::int64_t now) const {
    constexpr long question_us = 20, work_us = 500, foreign_us = 1000, calm_us = 2000,
                   unlimited_us = 10'000;
    if (look_again_ == soon::question_open) return question_us;
    if (now < lent_until_) return lent_look_us;
    const bool looks = look_again_ == soon::work_waits || now < attentive_until_;
    long us = looks ? work_us : unlimited_us;
    // relaxed: sysmon's own. Where polling is left to one m, sched/policy/poll_trial sets the
    // distance of looks.
    const long moving_us = sched.single_poller.load(memory_order_relaxed) ? unlimited_us : calm_us;
    if (is_any_idle()) return looks && do_all_move() ? moving_us : us;
    const bool in_hurry = sched.urgent_waits.load(memory_order_relaxed);  // relaxed: a round late
    if (looks && progress_rounds_ == enough_rounds && !in_hurry) us = calm_us;
    // A thread of the program's own does not tell sysmon when it readies a goroutine.
    const bool foreign = sched.foreign_count.load(memory_order_relaxed) != 0;  // relaxed: a hint
    if (foreign && us > foreign_us) us = foreign_us;
    // While every p is busy, only sysmon looks after the timers of a p with a computing goroutine.
    for (std::int32_t i = 0; i < proc_count(); ++i) {
        const std::int64_t left_us = (next_timer_run(*sched.allp[i]) - now) / 1000;
        if (left_us < us) us = left_us > question_us ? left_us : work_us / 4;
    }
    return us;
}

// Notes which ps have made progress since the last call. A p makes progress if it has made many
// turns, or if its thread has computed, in any goroutine, or waits for a processor.
void preempt_watch::note_progress(std::int64_t now) {
    if (now - progress_at_ < progress_period) return;
    const std::int64_t time = now - std::exchange(progress_at_, now);
    bool is_anyone_kept = false, all_get_on = true, all_move = true;
    for (std::int32_t i = 0; i < proc_count(); ++i) {
        p& pp = *sched.allp[i];
        const std::uint32_t tick = pp.sched_tick.load(memory_order_relaxed);  // relaxed: a guess
        const std::uint32_t turns = tick - std::exchange(pp.progress_tick, tick);
        m* const mp = pp.mp.load(memory_order_acquire);  // pairs(p.m)
        const bool keeps = is_needed(pp, now) && !is_idle_on_purpose(pp, now);
        is_anyone_kept = is_anyone_kept || keeps;
        m* const last = std::exchange(pp.clocked, nullptr);
        if (turns >= time / short_turn) continue;
        if (!keeps || mp == nullptr) {
            all_get_on = all_get_on && !keeps;
            all_move = all_move && !keeps && mp == nullptr;
            continue;
        }
        pp.clocked = mp;
        const int tid = mp->tid.load(memory_order_relaxed);  // relaxed: see tid
        const std::int64_t cpu = thread_cpu_time(tid);
        const std::int64_t spent = cpu - std::exchange(pp.clock_then, cpu);
        const bool computes = last == mp && is_most(spent, time);
        const bool waits = !computes && state_at(*mp, tid, cpu, now) == thread_state::awake;
        all_get_on = all_get_on && (computes || waits);
        all_move = all_move && waits && (last != mp || spent < time / 4);
    }
    progress_rounds_ =
        is_anyone_kept && all_get_on ? std::min(progress_rounds_ + 1, enough_rounds) : 0;
    moving_rounds_ = all_move ? std::min(moving_rounds_ + 1, enough_rounds) : 0;
}

void preempt_watch::control_admission(std::int64_t now) {
    // If neither holds, no thread has been stopped yet.
    if ((is_served_early_ || admission_.is_open()) && admission_.round(now < stopped_until_, now))
        look_again_ = soon::work_waits;
}

// Finds the p with the longest turn, which sysmon asks first to yield for an urgent goroutine, such
// as a goroutine that a thread of the program's own has readied.
void preempt_watch::find_longest_turn() {
    longest_turn_ = nullptr;
    if (!sched.urgent_waits.load(memory_order_relaxed)) return;  // relaxed: a round late
    for (std::int32_t i = 0; i < proc_count(); ++i) {
        const p& pp = *sched.allp[i];
        if (pp.watch.mp == nullptr) continue;
        if (longest_turn_ == nullptr || pp.watch.since < longest_turn_->watch.since)
            longest_turn_ = &pp;
    }
}

// Looks at pp, and takes it if its m is blocked or computes for too long. True: pp was taken from
// an m that is blocked.
bool preempt_watch::look_at(p& pp, std::int64_t now) {
    auto& w = pp.watch;
    m* const mp = pp.mp.load(memory_order_acquire);                       // pairs(p.m)
    const std::uint32_t tick = pp.sched_tick.load(memory_order_relaxed);  // relaxed: a round late
    if (mp == nullptr || w.mp != mp || w.tick != tick) {
        w = {mp, tick, now, -1, -1, now, now, 0, 0, 0, now, false};
        if (mp != nullptr) go_on_with_turn(pp, w, *mp);
        if (!is_needed(pp, now)) return false;
        look_again_ = soon::work_waits;
        // relaxed: see tid
        if (mp != nullptr) w.cpu_first = thread_cpu_time(mp->tid.load(memory_order_relaxed));
        return false;
    }
    if (pp.status.load(memory_order_relaxed) != p_status::running ||  // relaxed: a hint
        mp->in_runtime.load(memory_order_relaxed) != 0) {             // relaxed: a hint
        w.cpu = -1;
        return false;
    }
    const bool needed = is_needed(pp, now);
    if (needed && look_again_ == soon::no) look_again_ = soon::work_waits;
    if (!needed && now - w.since < blocked_unneeded) return false;
    const int tid = mp->tid.load(memory_order_relaxed);  // relaxed: see tid
    const std::int64_t cpu = thread_cpu_time(tid);
    if (w.cpu_first < 0) {
        w.cpu_first = cpu;
        w.first_at = now;
    }
    if (cpu == w.cpu || w.cpu < 0) {
        w.observed_cpu = cpu;
        w.observed_at = nanotime();
    }
    if (cpu != w.cpu) {
        const bool slept = w.cpu >= 0 && !is_most(cpu - w.cpu, now - w.looked_at) &&
                           state_at(*mp, tid, cpu, now) == thread_state::asleep;
        w.cpu = cpu;
        w.looked_at = w.still_since = now;
        if (!needed) return false;
        if (!slept) {
            w.was_asleep = false;
            look_at_running(pp, *mp, false, now);
            return false;
        }
        look_again_ = soon::question_open;
        // A thread asleep at two looks in a row, in different calls, goes from one blocking call to
        // the next: each look finds that its clock has moved.
        if (!std::exchange(w.was_asleep, true)) return false;
        const bool taken = retake(pp, *mp, standby_for::blocked, {}, now);
        if (!taken) look_again_ = soon::work_waits;  // no next m is free, or mp has come back
        return taken;
    }
    w.looked_at = now;
    if (now - w.still_since < (needed ? blocked_grace : blocked_unneeded)) {
        if (needed) look_again_ = soon::question_open;
        return false;
    }
    const thread_state state = state_at(*mp, tid, cpu, now);
    if (state == thread_state::awake) {  // the thread would run, but has no processor
        if (needed) look_at_running(pp, *mp, true, now);
        return false;
    }
    // A wrong guess does no harm: sysmon follows a thread that has only waited for a processor.
    if (state == thread_state::unknown && now - w.still_since < unknown_grace) return false;
    return retake(pp, *mp, standby_for::blocked, {}, now);
}

// Ends the turn on pp if it is due. `waits`: the thread waits for a processor; the next stopped
// thread would have to wait too.
void preempt_watch::look_at_running(p& pp, m& mp, bool waits, std::int64_t now) {
    auto& w = pp.watch;
    if (!stop_settings.stops) return;
    waits = waits && w.cpu >= 0 && now - w.since < waiting_max && is_no_processor_free();
    const bool at_once = &pp == longest_turn_ || is_timer_due(pp, now);
    const std::int64_t turn = at_once ? stop_settings.interactive_after : std::int64_t{time_slice};
    if (now - w.since < turn) return;
    if (waits && !at_once && w.asked_at == 0 && runq_empty(pp) && do_only_suspended_wait()) return;
    if (waits || is_for_others(pp, now)) {
        const std::int64_t ran = pp.timers.pace.ran_at();
        if (now - std::max(mp.lent_at, ran) < lending_period) return;
    }
    // First a request to yield: a goroutine that uses rota has yielded by the next look.
    if (w.asked_at == 0) {
        w.asked_at = now;
        ask_to_yield(mp, w.tick, has_hardly_begun(pp, now));
        look_again_ = soon::question_open;
        return;
    }
    if (now - w.asked_at < answer_time) {
        look_again_ = soon::question_open;
        return;
    }
    if (!mp.preempt.load(memory_order_relaxed)) {  // relaxed: advice
        w.asked_at = 0;                            // the goroutine has yielded
        return;
    }
    stop(pp, mp, now);
}

retake_from preempt_watch::what_of(turn_was was, bool was_blocked) {
    if (was_blocked) return retake_from::blocked;
    return was == turn_was::hardly_begun ? retake_from::hardly_run : retake_from::computing;
}

// Hands pp on, if sysmon can take it and the next m exists already: the thread that makes ms may
// itself wait for the goroutine that computes. The p is lent if its goroutine is in its turn and
// computes steadily, or if its thread waits for a processor. A blocked thread may wait for a lock
// that a stopped thread holds, malloc's for example. So at every second take from a blocked m, the
// first stopped thread comes before the queue.
//
// While sysmon, which is no m, holds the p, all ms may be asleep without a deadlock. So sysmon
// tells the deadlock detector (sched.retaking), and asks it again afterwards.
bool preempt_watch::retake(p& pp, m& mp, standby_for why, ended_turn ended, std::int64_t now) {
    const bool was_blocked = why == standby_for::blocked;
    // Many threads that go from call to call leave sysmon little processor time.
    if (was_blocked) (void)begin_stopping();
    const bool lends = !was_blocked && (ended.waits || is_for_others(pp, now));
    const std::int64_t used = now - pp.watch.since, spent = spent_in_turn(pp);
    sched.retaking.store(true, memory_order_relaxed);  // relaxed: published with the p
    count_retaken_m(why);
    suspended_turn turn = suspended_turn::last;
    if (was_blocked && !was_stopped_ones_turn_) turn = suspended_turn::first;
    else if (is_for_others(pp, now)) turn = suspended_turn::none;
    order_standby_m(why, standby_need::now, now);
    const successor next = reserve_m(pp, turn, now);
    const bool taken = next.mp != nullptr && retake_p(pp, what_of(ended.was, was_blocked));
    const bool comes_back = ended.was == turn_was::steady || ended.waits;
    const bool is_lent = taken && lends && comes_back && !next.is_stopped;
    const std::int64_t clock = ended.waits ? pp.watch.cpu : -1;
    if (taken) {
        shared_counts.handoffs.fetch_add(1, memory_order_relaxed);  // relaxed: for reports
        if (was_blocked) was_stopped_ones_turn_ = next.is_stopped;
        pp.watch = {};
        pp.seen_sched_when = now;  // the next goroutine's slice is new
        if (!was_blocked) note_computed(pp, now);
        mp.slice_used = is_lent ? used : 0;
        mp.slice_computed = spent;
        if (is_lent) mp.lent_at = now;
        mp.lent_waiting = is_lent && ended.waits;
        mp.released_without_p = false;
        published_count_ = -1;
        pp.lender = nullptr;
        // The lending satisfies the request to yield. A stop of the world asks again.
        if (is_lent) mp.preempt.store(false, memory_order_relaxed);  // relaxed: advice
        if (is_lent) {
            lend(pp, mp, clock);
            startm(pp, false, next.mp);
        } else {
            pp.vacated = ended.vacated;
            if (!was_blocked) pp.slice_over = true;
            give_p_to(next, pp);
        }
    } else if (next.mp != nullptr) {
        return_successor(next);
    }
    bool dead = false;
    {
        const lock_guard guard(sched.mu);
        sched.retaking.store(false, memory_order_relaxed);  // relaxed: under sched.mu
        if (!taken) --sched.retaken_count;
        dead = is_deadlocked();
    }
    if (dead) confirm_deadlock();
    if (taken) allow(mp, allowance_of(mp));
    return taken;
}

// Starts the template thread and gives sysmon a short slice, which a thread made by sysmon would
// inherit: from here on the template thread makes the threads. False: the template thread cannot be
// started.
bool preempt_watch::begin_stopping() {
    if (is_served_early_) return true;
    const std::int64_t now = nanotime();
    if (template_refused_at_ != 0 && now - template_refused_at_ < template_period) return false;
    if (!start_template_thread_if_granted()) {
        template_refused_at_ = now;
        return false;
    }
    is_served_early_ = true;
    thread_runs_briefly();
    return true;
}

void preempt_watch::stop(p& pp, m& mp, std::int64_t now) {
    if (!begin_stopping()) return;
    const bool steady = is_steady(pp);
    const int tid = mp.tid.load(memory_order_relaxed);  // relaxed: see tid
    const thread_place place = place_of_thread(tid);
    const bool stops = steady && place.state != thread_state::asleep;
    ended_turn ended;
    ended.vacated = stops && is_no_processor_free() ? place.processor : p::anywhere;
    ended.was = has_hardly_begun(pp, now) ? turn_was::hardly_begun
                : steady                  ? turn_was::steady
                                          : turn_was::some;
    ended.waits = !steady && now - pp.watch.still_since >= blocked_grace &&
                  now - pp.watch.since < waiting_max && waits_computing(pp, mp, tid);
    if (!retake(pp, mp, standby_for::computes, ended, now)) return;
    attentive_until_ = computed_until_ = now + attention;
    stopped_until_ = now + stop_takes;
    if (mp.slice_used != 0) {
        lent_until_ = now + 2 * lent_time;
        return;
    }
    // The thread may have gone into a call meanwhile.
    if (stops && state_of_thread(tid) != thread_state::asleep) stop_thread(mp);
}

// Whether a thread without a p that has used up its allowance is to be stopped. A thread that
// sleeps now and then is not: the signal would interrupt its calls, and it would hold a p while it
// sleeps. The clock may not tell a thread that sleeps from a thread that has no processor. Then the
// kernel's count of its sleeps decides: it must have used up two allowances without a sleep.
bool preempt_watch::is_to_be_stopped(m& mp, int tid, std::int64_t spent, std::int64_t time) {
    std::uint64_t sleeps = 0;
    const thread_state state = state_of_thread(tid, sleeps);
    if (state == thread_state::asleep) return false;
    if (is_most(spent, time)) return true;
    if (state == thread_state::unknown) return false;
    const bool same = mp.sleeps_known && mp.sleeps_seen == sleeps;
    mp.sleeps_seen = sleeps;
    mp.sleeps_known = true;
    return same;
}

// Whether mp still has no p; watches its thread, and may stop it. False: mp has come back into the
// runtime, or has got a p.
bool preempt_watch::still_runs_without_p(m& mp) {
    // relaxed: a hint
    if (mp.entry.load(memory_order_relaxed) != entry_state::retaken) return false;
    if (mp.suspended.load(memory_order_relaxed)) {  // relaxed: a hint
        mp.slice_used = 0;                          // its next turn is new
        return true;
    }
    // relaxed: a round late
    const std::uint32_t stay = mp.returns_without_p.load(memory_order_relaxed);
    if (stay != mp.observed_return) {  // a new stay without a p: mp was in a system call meanwhile
        mp.observed_return = stay;
        published_count_ = -1;  // an m that left its p has counted itself in retaken_count too
        mp.slice_used = 0;
        allow(mp, cpu_without_p_max);
        return true;
    }
    const int tid = mp.tid.load(memory_order_relaxed);  // relaxed: see tid
    const std::int64_t cpu = thread_cpu_time(tid);
    const std::int64_t now = nanotime();
    const bool is_still = cpu == mp.cpu_seen;  // blocked, or without a processor
    mp.cpu_seen = cpu;
    const std::int64_t spent = cpu - mp.observed_cpu;
    if (is_still) {
        if (!mp.sleeps_known) {
            mp.observed_cpu = cpu;
            mp.observed_at = now;
        }
        return true;
    }
    mp.lent_waiting = false;  // the thread has had a processor since
    if (!mp.released_without_p) computed_until_ = now + attention;
    if (look_again_ == soon::no) look_again_ = soon::work_waits;
    if (spent < mp.allowance || !stop_settings.stops) return true;
    progress_rounds_ = 0;
    const bool stops = is_to_be_stopped(mp, tid, spent, now - mp.observed_at);
    mp.observed_cpu = cpu;
    mp.observed_at = now;
    mp.allowance = cpu_without_p_max;
    if (!stops || !begin_stopping()) return true;
    mp.released_without_p = false;
    mp.slice_used = 0;
    // relaxed: a hint. If mp is in its next call by now, the signal must not interrupt that.
    if (mp.entry.load(memory_order_relaxed) == entry_state::retaken) stop_thread(mp);
    return true;
}

void preempt_watch::adopt_retaken() {
    for (m* mp = ms_just_retaken(); mp != nullptr;) {
        m* const next = mp->retaken_next;
        allow(*mp, allowance_of(*mp));
        mp->released_without_p = false;
        mp->retaken_next = retaken_ms_;
        retaken_ms_ = mp;
        ++retaken_count_;
        mp = next;
    }
}

void preempt_watch::follow() {
    adopt_retaken();
    m** link = &retaken_ms_;
    for (int i = 0; i < follow_at_most && *link != nullptr; ++i) {
        m& mp = **link;
        m* const next = mp.retaken_next;
        if (still_runs_without_p(mp) || !is_back(mp)) {
            link = &mp.retaken_next;
            continue;
        }
        *link = next;  // mp may be on the list of ms_just_retaken again
        --retaken_count_;
    }
    publish_retaken_count();
    if (*link == nullptr || link == &retaken_ms_) return;
    // The ms that this round has not looked at come first in the next round.
    m* const rest = *link;
    *link = nullptr;
    m* last = rest;
    while (last->retaken_next != nullptr) last = last->retaken_next;
    last->retaken_next = retaken_ms_;
    retaken_ms_ = rest;
}

void preempt_watch::publish_retaken_count() {
    if (retaken_count_ == published_count_) return;
    published_count_ = retaken_count_;
    const lock_guard guard(sched.mu);
    sched.retaken_count = retaken_count_;
}

// Lets the first stopped thread go on without a p if no p has begun a turn for long. The ms that
// hold the ps may wait, inside the runtime, for a lock that the stopped thread holds. Where threads
// compute without a p anyway, there are more likely just too many threads for the processors: then
// sysmon waits longer.
void preempt_watch::release_stuck_ms(std::int64_t now) {
    bool anyone = false;
    {
        const lock_guard guard(sched.mu);
        anyone = sched.suspended_first != nullptr;
    }
    std::uint64_t ticks = 0;
    for (std::int32_t i = 0; i < proc_count(); ++i)
        ticks += sched.allp[i]->sched_tick.load(memory_order_relaxed);  // relaxed: a hint
    if (!anyone || ticks != stuck_ticks_ || stuck_since_ == 0) {
        stuck_ticks_ = ticks;
        stuck_since_ = now;
    } else if (now - stuck_since_ >
               (now < computed_until_ ? stuck_after_amid_others : stuck_after)) {
        stuck_since_ = now;
        m* const mp = release_suspended();
        if (mp != nullptr) {
            allow(*mp, time_slice);
            mp->released_without_p = true;
        }
    }
    if (anyone && look_again_ == soon::no) look_again_ = soon::work_waits;
}

// Wakes an m for a p that has been idle for 1 ms beside stopped threads, or although a spinner was
// called for: a p that was given back may be so. A lender that waits for a processor has a slice's
// time to come for its p: the next stopped thread would have to wait too.
void preempt_watch::wake_for_idle_p(std::int64_t now) {
    const bool is_wanted = global_has_work() ||
                           sched.need_spinning.load(memory_order_relaxed);  // relaxed: a round late
    if (!is_wanted || !is_any_idle() || do_lenders_come(now - time_slice)) {
        idle_beside_since_ = 0;
    } else if (idle_beside_since_ == 0) {
        idle_beside_since_ = now;
    } else if (now - idle_beside_since_ > idle_beside_max) {
        idle_beside_since_ = 0;
        wakep();
    }
}

}  // namespace rota::rt
