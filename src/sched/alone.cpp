// Who is left to whom, who looks after those who are left, and the trial.
#include "sched/alone.hpp"

#include <algorithm>

#include "netpoll/poller.hpp"
#include "sched/chaos.hpp"
#include "sched/run_queue.hpp"
#include "sched/timers.hpp"
#include "sched/wakeup.hpp"
#include "sys/asymmetric.hpp"
#include "sys/clock.hpp"

namespace rota::rt {

namespace {

// So many at a time are left to one, whatever waits already: whether it gets through them is for
// the trial to say.
constexpr std::uint32_t left_at_most = 64;

// A goroutine that runs for so long keeps those behind it waiting; its p runs its timers itself as
// long as it gets on.
constexpr std::int64_t kept_ns = 300'000, timer_late_ns = 100'000;
constexpr long nap_alone_max_us = 1000, nap_alone_min_us = 20, nap_alone_late_us = 100;

// And one that makes fewer turns than that in a millisecond needs help.
constexpr std::int64_t slow_look_ns = 1'000'000;
constexpr std::uint32_t slow_turns = 32;

// The first part of a row of spans, in which the other way's goroutines come home and ms go to
// sleep or wake, does not count. `alone` must be better by more than a twentieth. Its row ends
// early if twice as many wait as at its beginning, and `crowd` more.
constexpr std::int64_t trial_span_ns = 20'000'000, settling_ns = 5'000'000;
constexpr int trial_spans_max = 128, trial_growth = 4;
constexpr std::int64_t worth_it_per_s = 8'000;  // brought by the network, while it is shared
constexpr std::uint64_t crowd = 64;

constinit polling fixed_way = polling::on_trial;  // at boot

// relaxed: sysmon's own; and who sees it late finds what sysmon has woken an m for, or looks too.
bool is_alone() { return sched.polls_alone.load(memory_order_relaxed); }

// Turns: whatever the goroutines do. Wraps. Those ps that are gone have done what they have done.
std::uint32_t turns_of_all() {
    std::uint32_t turns = 0;
    for (std::int32_t i = 0; i < made_count(); ++i)
        turns += sched.allp[i]->sched_tick.load(memory_order_relaxed);  // relaxed: a guess
    return turns;
}

bool is_idle_p(const p& pp) {
    return pp.status.load(memory_order_relaxed) == p_status::idle;  // relaxed: a hint
}

// How many wait in all rings and in the global queue.
std::uint64_t waiting() {
    std::uint64_t n = sched.runq_size.load(memory_order_relaxed);  // relaxed: a guess
    for (std::int32_t i = 0; i < proc_count(); ++i) n += runq_length(*sched.allp[i]);
    return n;
}

// Whether what runs on pp is what ran at sysmon's last rounds, whichever m has it.
bool stands_still(const p& pp, std::int64_t now) {
    // relaxed: looked at again in the next round
    return pp.seen_sched_tick == pp.sched_tick.load(memory_order_relaxed) &&
           now - pp.seen_sched_when >= kept_ns;
}

// Whether somebody has waited, in its ring or for all ps, while pp has made but a few turns.
bool is_slow(p& pp, std::int64_t now) {
    const std::uint32_t tick = pp.sched_tick.load(memory_order_relaxed);  // relaxed: a guess
    const bool anyone_waits = !runq_empty(pp) || global_has_work();
    const std::int64_t since = anyone_waits ? pp.left_since : 0;
    if (since != 0 && now - since < slow_look_ns) return false;
    const bool slow = since != 0 && tick - pp.left_tick < slow_turns;
    pp.left_since = anyone_waits ? now : 0;
    pp.left_tick = tick;
    return slow;
}

std::int64_t timer_limit(const p& pp) {
    const std::int64_t when = next_timer_run(pp);
    return is_idle_p(pp) || when > INT64_MAX - timer_late_ns ? when : when + timer_late_ns;
}

// Whether somebody waits whom nobody serves, or not soon.
bool is_anyone_left(std::int64_t now) {
    bool any = false;
    for (std::int32_t i = 0; i < proc_count(); ++i) {
        p& pp = *sched.allp[i];
        if (timer_limit(pp) <= now) any = true;
        if (is_idle_p(pp)) continue;
        if (is_slow(pp, now)) any = true;
        if (stands_still(pp, now) && !runq_empty(pp)) any = true;
    }
    return any;
}

}  // namespace

bool is_left_to_owner(const p& pp, std::uint32_t n) {
    light_fence();                                                    // pairs(poll.alone)
    if (!sched.polls_alone.load(memory_order_relaxed)) return false;  // pairs(poll.alone)
    return n <= left_at_most && !are_turns_long(pp, nanotime());
}

bool is_poller_elsewhere() {
    light_fence();                  // pairs(poll.alone)
    if (!is_alone()) return false;  // who misses the beginning looks in his sleep, for all
    const lock_guard guard(sched.mu);
    // relaxed: under sched.mu
    return !sched.world_stops && sched.idle_p_count.load(memory_order_relaxed) != proc_count();
}

void alone_trial::fix(polling way) { fixed_way = way; }

bool alone_trial::is_on() const { return is_alone(); }

void alone_trial::round(std::int64_t now) {
    if (is_alone()) look_after_all(now);
    if (fixed_way == polling::on_trial) return proceed(now);
    const bool wanted = fixed_way == polling::alone && proc_count() > 1 && !chaos.on;
    if (wanted != is_alone()) begin(wanted ? polling::alone : polling::shared, now);
}

long alone_trial::nap_us_max(std::int64_t now) const {
    if (!is_alone()) return INT32_MAX;
    // relaxed: a hint. Else there is nobody to wake for a timer.
    if (sched.idle_p_count.load(memory_order_relaxed) == 0) return nap_alone_max_us;
    std::int64_t us = nap_alone_max_us;
    for (std::int32_t i = 0; i < proc_count(); ++i) {
        const std::int64_t left_us = (timer_limit(*sched.allp[i]) - now) / 1000;
        us = std::min(us, left_us > nap_alone_min_us ? left_us : nap_alone_late_us);
    }
    return static_cast<long>(us);
}

void alone_trial::look_after_all(std::int64_t now) {
    if (is_anyone_left(now)) wakep();
}

void alone_trial::begin(polling way, std::int64_t now) {
    begin_anew(now);
    const bool alone = way == polling::alone;
    if (alone == is_alone()) return;
    sched.polls_alone.store(alone, memory_order_seq_cst);  // pairs(poll.alone)
    if (alone) {
        // Who sleeps there beside one that is at work need not any more. pairs(timer.poller)
        if (sched.last_poll.load(memory_order_seq_cst) == 0) net_poller.wake();
        return;
    }
    heavy_fence();  // pairs(poll.alone)
    wakep();        // for what waits, and to sleep in the poller
}

void alone_trial::note_better(polling way) {
    const int better = way == polling::alone ? 1 : 0;
    spans_[better] = std::min(trial_growth * spans_[better], trial_spans_max);
    spans_[1 - better] = 1;
}

// What has been measured decides how long each way's rows are.
void alone_trial::weigh() {
    if (per_s_[0] < 0 || per_s_[1] < 0) return;
    note_better(per_s_[1] / 21 > per_s_[0] / 20 ? polling::alone : polling::shared);
}

void alone_trial::forget(std::int64_t now) {
    per_s_[0] = per_s_[1] = -1;
    spans_[0] = spans_[1] = 1;
    begin(polling::shared, now);
}

void alone_trial::end(std::int64_t now) {
    if (is_alone()) begin(polling::shared, now);
}

void alone_trial::begin_anew(std::int64_t now) {
    begun_at_ = now;
    measured_since_ = 0;
}

void alone_trial::proceed(std::int64_t now) {
    const std::uint32_t turns = turns_of_all();
    steps_ += static_cast<std::uint32_t>(turns - turns_seen_);
    turns_seen_ = turns;
    if (measured_since_ == 0) {
        if (now - begun_at_ < settling_ns) return;
        measured_since_ = now;
        steps_ = 0;
        brought_then_ = net_poller.brought();
        waiting_then_ = waiting();
        return;
    }
    const int way = is_alone() ? 1 : 0;
    const std::int64_t measured = now - measured_since_;
    if (measured < trial_span_ns / 2) return;
    const bool is_crowded = way == 1 && waiting() > 2 * waiting_then_ + crowd;
    if (now - begun_at_ < spans_[way] * trial_span_ns && !is_crowded) return;
    const auto brought = static_cast<std::int64_t>(net_poller.brought() - brought_then_);
    // Whether it is worth it cannot be seen alone: nobody may have looked then.
    const bool worth_it = way == 1 || brought * 1000 >= worth_it_per_s * (measured / 1'000'000);
    if (!worth_it || proc_count() == 1 || chaos.on) return forget(now);
    per_s_[way] = static_cast<std::int64_t>(steps_) * 1'000'000 / (measured / 1000);
    if (is_crowded) note_better(polling::shared);
    else weigh();
    begin(way == 1 ? polling::shared : polling::alone, now);
}

}  // namespace rota::rt
