// Decides which goroutines are left to one m, looks after those goroutines, and runs the trial.
#include "sched/policy/poll_trial.hpp"

#include <algorithm>
#include <utility>

#include "netpoll/poller.hpp"
#include "sched/base/modes.hpp"
#include "sched/base/poll_due.hpp"
#include "sched/base/wakeup.hpp"
#include "sched/preempt/thread_state.hpp"
#include "sched/queue/poll_mode.hpp"
#include "sched/queue/run_queue.hpp"
#include "sched/queue/timers.hpp"
#include "sys/call/clock.hpp"
#include "sys/thread/asymmetric.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

// kept_ns: a goroutine that runs for longer keeps those behind it in the ring waiting.
// timer_late_ns: a p that makes progress runs its timers itself; past this lateness sysmon looks.
constexpr std::int64_t kept_ns = 300'000, timer_late_ns = 100'000;
constexpr long nap_single_max_us = 2000, nap_single_min_us = 20, nap_single_late_us = 100;

// After a look that found a goroutine left waiting, so many looks are nap_watchful_us apart: more
// goroutines are likely to be left. After a long time with few incidents
// (sched/policy/incident_rate) the looks are nap_quiet_us apart: to wake a thread by a timer takes
// about 30 µs of a processor on a virtual machine.
constexpr int watchful_looks = 50;
constexpr long nap_watchful_us = 1000;
constexpr long nap_quiet_us = rest_look_ns / 1000;

// A p with waiting goroutines and fewer than slow_turns turns in slow_look_ns needs help. So does a
// p at whose ring a goroutine has waited for more than long_wait_ns, even if the machine has no
// processor for its m: a thousand clients with short questions cause shorter waits.
constexpr std::int64_t slow_look_ns = 1'000'000;
constexpr std::int64_t slow_turns = 32;
constexpr std::int64_t long_wait_ns = 10'000'000;

constexpr std::int64_t least_per_s = 8'000;  // goroutines that the network brings, while shared
constexpr std::int64_t recently = 8;         // looks of the moving average of the pace

constinit poll_mode fixed_way = poll_mode::on_trial;  // at boot

bool is_idle_p(const p& pp) {
    return pp.status.load(memory_order_relaxed) == p_status::idle;  // relaxed: a hint
}

// How many goroutines wait in the rings and in the global queue. Where the last poll of a p was
// full, adds a guess of what a larger poll would have brought from the kernel.
std::uint64_t waiting() {
    std::uint64_t n = sched.runq_size.load(memory_order_relaxed);  // relaxed: a guess
    for (std::int32_t i = 0; i < proc_count(); ++i) {
        const p& pp = *sched.allp[i];
        n += runq_length(pp);
        // relaxed: a guess
        if (pp.last_poll_was_full.load(memory_order_relaxed) && !is_idle_p(pp))
            n += poll_events_max - poll_at_once;
    }
    return n;
}

// Whether the goroutine that runs on pp is the one of sysmon's last rounds, whichever m holds pp.
bool stands_still(const p& pp, std::int64_t now) {
    // relaxed: looked at again in the next round
    return pp.seen_sched_tick == pp.sched_tick.load(memory_order_relaxed) &&
           now - pp.seen_sched_when >= kept_ns;
}

enum class pace : std::uint8_t { not_known, good, slow };

// Slow: a goroutine has waited, in the ring of pp or for any p, while pp made only a few turns.
pace pace_of(p& pp, std::int64_t now) {
    const std::uint32_t tick = pp.sched_tick.load(memory_order_relaxed);  // relaxed: a guess
    const bool anyone_waits = !runq_empty(pp) || global_has_work();
    const std::int64_t since = anyone_waits ? pp.pace_since : 0;
    if (since != 0 && now - since < slow_look_ns) return pace::not_known;
    const std::int64_t turns = tick - pp.pace_tick;
    const bool slow = since != 0 && turns * slow_look_ns < slow_turns * (now - since);
    pp.pace_since = anyone_waits ? now : 0;
    pp.pace_tick = tick;
    return slow ? pace::slow : pace::good;
}

// Whether the goroutine that stood last in the ring of pp at an earlier look still waits there.
bool has_long_waited(p& pp, std::int64_t now) {
    // relaxed, both: a guess
    const std::uint32_t head = pp.runq_head.load(memory_order_relaxed);
    const std::uint32_t tail = pp.runq_tail.load(memory_order_relaxed);
    const bool is_gone = static_cast<std::int32_t>(head - pp.tail_index) >= 0;
    if (is_gone || pp.tail_since == 0) {
        pp.tail_since = head == tail ? 0 : now;
        pp.tail_index = tail;
        return false;
    }
    return now - pp.tail_since > long_wait_ns;
}

// Whether the m of pp is awake but had a processor for less than half of the time since a look that
// is at least 1 ms old, or since pp was idle: where the machine has no processor for this m, it has
// none for a second one. A shorter time, and a time with system calls in it, tell nothing.
// Caller: in each look. Reads the thread's clock if the caller asks, or the old look is 1 ms old.
bool is_without_processor(p& pp, bool is_asked) {
    const std::int64_t now = nanotime();
    const bool is_due = pp.clocked_mp == nullptr || now - pp.clocked_at >= slow_look_ns;
    m* const mp = is_asked || is_due ? pp.mp.load(memory_order_acquire) : nullptr;  // pairs(p.m)
    if (mp == nullptr) return false;
    const int tid = mp->tid.load(memory_order_relaxed);  // relaxed: see tid
    const std::int64_t cpu = thread_cpu_time(tid);
    const std::uint32_t calls = pp.syscall_tick.load(memory_order_relaxed);  // relaxed: a guess
    // A clock that has gone back, or cannot be read, is that of another thread.
    const bool knows = pp.clocked_mp == mp && pp.clocked_calls == calls && cpu >= pp.clocked_cpu;
    const std::int64_t idle_until = pp.idle_until.load(memory_order_relaxed);  // relaxed: a guess
    const std::int64_t time = now - std::max(pp.clocked_at, idle_until);
    // CPU time from before the idle time counts too: a thread with more of it lacked no processor.
    const std::int64_t spent = cpu - pp.clocked_cpu;
    if (!knows || is_due) {
        pp.clocked_mp = cpu >= 0 ? mp : nullptr;
        pp.clocked_calls = calls;
        pp.clocked_cpu = cpu;
        pp.clocked_at = nanotime();  // sysmon may have lost its own processor meanwhile
    }
    return is_asked && knows && time >= kept_ns && 2 * spent < time &&
           state_at(*mp, tid, cpu, now) == thread_state::awake;
}

// Whether the goroutines that wait while pp makes no progress are left to pp all the same, since
// its m lacks only a processor. At most 10 ms in a row: the program may have given the thread of
// that m a smaller share of the processors than other threads.
bool may_go_without_processor(p& pp, bool lacks_one, std::int64_t now) {
    if (lacks_one && pp.starved_since == 0) pp.starved_since = now;
    const bool excused = lacks_one && now - pp.starved_since < long_wait_ns;
    if (!excused) pp.starved_since = 0;
    return excused;
}

// Forgets what was seen of pp, which tells nothing of the future: pp is idle, or is new to the
// look.
void forget_waiting(p& pp) {
    pp.pace_since = pp.tail_since = pp.starved_since = 0;
    pp.clocked_mp = nullptr;
}

// Whether a goroutine has waited in one ring for as long as the usual distance of two looks.
bool has_anyone_waited(std::int64_t now) {
    for (std::int32_t i = 0; i < proc_count(); ++i) {
        const std::int64_t since = sched.allp[i]->tail_since;
        if (since != 0 && now - since >= nap_single_max_us * 1000) return true;
    }
    return false;
}

std::int64_t timer_limit(const p& pp) {
    const std::int64_t when = next_timer_run(pp);
    return is_idle_p(pp) || when > INT64_MAX - timer_late_ns ? when : when + timer_late_ns;
}

// What one look at every p finds.
struct outlook {
    bool is_anyone_left = false;  // a goroutine or timer waits, and no m serves it, or not soon
    // A p is at work; a p at work does not lack a processor.
    bool is_any_at_work = false, does_any_get_on = false;
    bool do_all_lack_one() const { return is_any_at_work && !does_any_get_on; }
};

// `asks`: whether to ask of each p if its m lacks a processor, even if no goroutine waits at it.
outlook look_at_all(std::int64_t now, bool asks) {
    outlook seen;
    for (std::int32_t i = 0; i < proc_count(); ++i) {
        p& pp = *sched.allp[i];
        if (timer_limit(pp) <= now) seen.is_anyone_left = true;
        if (is_idle_p(pp)) {
            forget_waiting(pp);
            continue;
        }
        const pace how = pace_of(pp, now);
        const bool is_kept = how == pace::slow || (stands_still(pp, now) && !runq_empty(pp));
        const bool lacks_one = is_without_processor(pp, is_kept || asks);
        if (is_kept && !may_go_without_processor(pp, lacks_one, now)) seen.is_anyone_left = true;
        if (how == pace::good && !is_kept) pp.starved_since = 0;
        if (has_long_waited(pp, now)) seen.is_anyone_left = true;
        seen.is_any_at_work = true;
        seen.does_any_get_on = seen.does_any_get_on || !lacks_one;
    }
    return seen;
}

// Goroutines that the network has readied so far, on every p. Wraps.
std::uint32_t brought_so_far() {
    std::uint32_t n = 0;
    for (std::int32_t i = 0; i < made_count(); ++i)
        n += static_cast<std::uint32_t>(
            sched.allp[i]->counts.polled.load(memory_order_relaxed));  // relaxed: a guess
    return n;
}

}  // namespace

// settling_ns: at the beginning of a sample the other way's goroutines come home, and ms go to
// sleep or wake. overtime_ns: a sample that is worth it has its steps before that is over.
// slots_at_first: the first sample of `single` is longer, since a growing backlog would end it, and
// shared samples have more than their part of the slowest answers. margin_equal: where both ways do
// the same work for the same price, and the backlog is no longer, one m gets it. Beside the noise
// of short samples that happens where the machine has no processor to spare. A client then waits
// longer for its answer if the m that has the answer in hand is kept off its processor. Where
// processors are idle, sharing has a shorter backlog or does more.
constexpr ab_trial_rules poll_mode_trial::rules{.slot_ns = 25'000'000,
                                                .settling_ns = 1'500'000,
                                                .counted_ns_min = 3'000'000,
                                                .steps_min = 4'000,
                                                .overtime_ns = 500'000'000,
                                                .slots_max = 128,
                                                .growth = 4,
                                                .slots_at_first = 4,
                                                .margin = 50,
                                                .margin_equal = -100,
                                                .memory = 8,
                                                .gain_of_harm = -150};

void poll_mode_trial::fix(poll_mode way) { fixed_way = way; }

bool poll_mode_trial::is_on() const { return is_single_poller(); }

std::int64_t poll_mode_trial::stale_after() const {
    return lack_processors_ ? poll_stale_ns : poll_starved_ns;
}

void poll_mode_trial::round(std::int64_t now) {
    if (is_single_poller()) look_after_all(now);
    // Reads the clock again: look_after_all takes time, and sysmon may have lost its processor.
    if (fixed_way == poll_mode::on_trial) return proceed(nanotime());
    const bool wanted = fixed_way == poll_mode::single && proc_count() > 1 && !chaos.on;
    set(wanted ? poll_mode::single : poll_mode::shared);
}

long poll_mode_trial::nap_us_max(std::int64_t now) const {
    if (!is_single_poller()) return INT32_MAX;
    const long usual = incidents_.is_low() ? nap_quiet_us : nap_single_max_us;
    const long at_most = watchful_ > 0 ? nap_watchful_us : usual;
    std::int64_t us = at_most;
    for (std::int32_t i = 0; i < proc_count(); ++i) {
        const std::int64_t left_us = (timer_limit(*sched.allp[i]) - now) / 1000;
        us = std::min(us, left_us > nap_single_min_us ? left_us : nap_single_late_us);
    }
    return static_cast<long>(us);
}

void poll_mode_trial::look_after_all(std::int64_t now) {
    if (watchful_ > 0) --watchful_;
    const std::int64_t last = sched.last_poll.load(memory_order_relaxed);  // relaxed: a hint
    const outlook seen = look_at_all(now, last != 0 && now - last >= poll_starved_ns);
    lack_processors_ = seen.do_all_lack_one();
    const bool is_pace_unusual = !is_pace_usual(now);
    incidents_.count_look(is_pace_unusual || has_anyone_waited(now));
    if (!seen.is_anyone_left) return;
    incidents_.set_high();
    watchful_ = watchful_looks;
    wakep();
}

// A goroutine that computes for milliseconds between two looks is seen by the turns that it costs.
bool poll_mode_trial::is_pace_usual(std::int64_t now) {
    constexpr std::int64_t a_second = 1'000'000'000;
    std::uint32_t ticks = 0;
    for (std::int32_t i = 0; i < made_count(); ++i)
        ticks += sched.allp[i]->sched_tick.load(memory_order_relaxed);  // relaxed: a guess
    const std::int64_t time = now - std::exchange(looked_at_, now);
    const std::int64_t turns = ticks - std::exchange(ticks_then_, ticks);
    if (time <= 0) return true;
    const std::int64_t pace = turns * a_second / time;
    const bool usual = 2 * pace >= usual_pace_;
    usual_pace_ += (pace - usual_pace_) / recently;
    return usual;
}

void poll_mode_trial::set(poll_mode way) {
    const bool single = way == poll_mode::single;
    if (single == is_single_poller()) return;
    sched.single_poller.store(single, memory_order_seq_cst);  // pairs(poll.single)
    if (single) {
        // An m that sleeps in the poller beside a p at work need not any more. pairs(timer.poller)
        if (sched.last_poll.load(memory_order_seq_cst) == 0) net_poller.wake();
        for (std::int32_t i = 0; i < made_count(); ++i) forget_waiting(*sched.allp[i]);
        usual_pace_ = 0;
        watchful_ = std::max(watchful_, 2);  // the first look only takes the first values
        lack_processors_ = false;
        return;
    }
    heavy_fence();  // pairs(poll.single)
    wakep();        // an m for what waits, and to sleep in the poller
}

void poll_mode_trial::end(std::int64_t now) {
    if (!is_single_poller()) return;
    trial_.begin_first(now);
    set(poll_mode::shared);
}

void poll_mode_trial::note_rest(std::int64_t now) {
    if (fixed_way != poll_mode::on_trial) return;
    begin_afresh(now);
    set(poll_mode::shared);
}

void poll_mode_trial::begin_afresh(std::int64_t now) {
    trial_.begin_afresh(now);
    backlog_.forget();
    incidents_.set_high();
}

void poll_mode_trial::proceed(std::int64_t now) {
    if (trial_.begun_at() == 0 || proc_count() == 1 || chaos.on) {
        begin_afresh(now);
        return set(poll_mode::shared);
    }
    using sample_state = ab_trial::sample_state;
    const sample_state r = trial_.look(now, brought_so_far);
    if (!trial_.is_counting()) return;
    const std::uint64_t n = waiting();
    if (r == sample_state::begins_to_count) {
        backlog_.begin_sample(is_single_poller(), n);
        cost_then_ = process_cpu_time();
    }
    backlog_.look(n);
    if (r != sample_state::counts && r != sample_state::is_over) return;
    // Harm is judged in any sample; score is not judged under `single`: no m may have polled then.
    const bool is_harmful = backlog_.is_growing();
    if (r == sample_state::counts && !is_harmful) return;
    if (is_harmful) {
        incidents_.set_high();
        trial_.abort_sample(now);
    } else if (is_single_poller() || trial_.per_s() >= least_per_s) {
        trial_.end_sample(now, process_cpu_time() - cost_then_, backlog_.mean_in_eighths());
    } else {
        begin_afresh(now);
    }
    backlog_.end_sample(is_harmful);
    set(trial_.now_is() == ab_way::second ? poll_mode::single : poll_mode::shared);
}

}  // namespace rota::rt
