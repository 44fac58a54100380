// Judges steals, keeps the trial of the two ways, and decides how long an m leaves other ps their
// work.
#include "sched/policy/steal_feedback.hpp"

#include <algorithm>

#include "sched/policy/ab_trial.hpp"
#include "sched/queue/idle.hpp"
#include "sched/queue/run_queue.hpp"
#include "sched/queue/timers.hpp"
#include "sys/call/clock.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

// A steal is too little work if it was finished within `trivial_batch_ns`, or within `steal_ns_max`
// by goroutines that took less than `short_run_ns` each. The m then leaves further work to the p
// that has it, for a time that doubles each time, between the two limits of backoff.
constexpr std::int64_t trivial_batch_ns = 4'000, steal_ns_max = 20'000, short_run_ns = 1'000;
constexpr std::int32_t backoff_ns_min = 8'000, backoff_ns_max = 32'000;

// Short goroutines that keep the m busy for longer than that have made goroutines, or waited for
// each other: they are worth the cost of moving.
constexpr std::int64_t telling_ns = 200'000;

// An m that leaves work to its producer looks at it every `look_ns`. It stops leaving work if the
// producer takes longer than `quick_step_ns` a step; or if, for `stands_still_ns`, the producer's
// ring stands still behind goroutines that ready each other, its timers wait, or it has no work to
// leave.
constexpr std::int64_t look_ns = 16'000, quick_step_ns = 1'000, stands_still_ns = 50'000;

// Where the producer makes no progress the m takes a few goroutines, twice as many each time until
// the producer goes on. The kernel may only keep the producer's thread waiting for a moment, and
// half a ring would be too much.
constexpr std::uint32_t most = p::runq_size / 2, rescue_batch = std::min(4u, most);

// The way `by_producer` is better only if it is faster by more than a tenth. If no m has taken or
// left work for `forgotten_after`, the trial begins afresh.
constexpr ab_way by_producer = ab_way::second;  // ab_way::first: shared
constexpr std::int64_t slot_ns = 1'000'000;
constexpr ab_trial_rules steal_trial_rules{.slot_ns = slot_ns,
                                           .settling_ns = slot_ns / 2,
                                           .counted_ns_min = slot_ns / 4,
                                           .steps_min = 0,
                                           .overtime_ns = 0,
                                           .slots_max = 32,
                                           .growth = 2,
                                           .margin = 100,
                                           .margin_equal = 100,
                                           .memory = 1,
                                           .gain_of_harm = 0};
constexpr std::int64_t forgotten_after = 4 * steal_trial_rules.slots_max * slot_ns;

// Advice: relaxed, and not rota's atomics, which would be choices for the explorer of schedules.
struct {
    // Written by any m.
    p* from = nullptr;  // the p that the last steal came from
    p* by = nullptr;    // the p that took it
    bool held = false;
    // Written by the m that has set `held`; any m reads which way is on trial.
    ab_trial trial{steal_trial_rules};
} constinit advice;

template <class T>
T get(const T& of) {
    return __atomic_load_n(&of, __ATOMIC_RELAXED);
}
template <class T>
void set(T& of, T to) {
    __atomic_store_n(&of, to, __ATOMIC_RELAXED);
}

// Steps of pp: its turns, and the goroutines that it has created, ended and parked. Wraps.
std::uint32_t steps_of(const p& pp) {
    const p_counters& counts = pp.counts;
    // relaxed, each: a guess
    return pp.sched_tick.load(memory_order_relaxed) +
           static_cast<std::uint32_t>(counts.created.load(memory_order_relaxed) +
                                      counts.ended.load(memory_order_relaxed) +
                                      counts.parks.load(memory_order_relaxed));
}

// Includes dead ps, which keep the steps that they have made.
std::uint32_t steps_of_all() {
    std::uint32_t steps = 0;
    for (std::int32_t i = 0; i < made_count(); ++i) steps += steps_of(*sched.allp[i]);
    return steps;
}

// Ends the sample on trial if its time is over. Caller: has set `held`.
void proceed() {
    ab_trial& trial = advice.trial;
    const std::int64_t now = nanotime();
    if (trial.begun_at() == 0 || now - trial.begun_at() > forgotten_after)
        return trial.begin_afresh(now);
    if (trial.look(now, steps_of_all) == ab_trial::sample_state::is_over) trial.end_sample(now);
}

// One m at a time; an m that comes meanwhile goes on without.
void try_to_proceed() {
    if (__atomic_exchange_n(&advice.held, true, __ATOMIC_ACQUIRE)) return;  // pairs(steal.held)
    proceed();
    __atomic_store_n(&advice.held, false, __ATOMIC_RELEASE);  // pairs(steal.held)
}

// The p that the owner of pp leaves work to while the trial says `by_producer`; or null. A lent p
// leaves work to no other p: it goes back to its lender.
p* producer_for(const p& pp) {
    if (advice.trial.now_is() != by_producer || pp.lender != nullptr) return nullptr;
    p* const from = get(advice.from);
    return from != &pp ? from : get(advice.by);
}

bool do_timers_wait(const p& pp, std::int64_t now) {
    // A heap with nothing but stopped timers is left to its owner.
    return pp.timers.earliest_hint() != 0 && pp.timers.size() != 0 && next_timer_run(pp) <= now;
}

}  // namespace

void note_steal(m& self, p& from) {
    p& pp = *self.pp;
    if (&from == &pp) return;  // the goroutines come from the spill of this p's own ring
    self.last_steal.of = &pp;
    self.last_steal.tick = pp.sched_tick.load(memory_order_relaxed);  // relaxed: our own
    self.last_steal.at = nanotime();
    set(advice.from, &from);
    set(advice.by, &pp);
}

void rate_last_steal(m& self) {
    steal_record& last_steal = self.last_steal;
    if (last_steal.at == 0) return;
    const p& pp = *self.pp;
    const std::int64_t took = nanotime() - last_steal.at;
    last_steal.at = 0;
    if (last_steal.of != &pp) return;
    const std::uint32_t runs =
        pp.sched_tick.load(memory_order_relaxed) - last_steal.tick;  // relaxed: our own
    const bool are_short = took <= runs * short_run_ns;
    if (took <= trivial_batch_ns || (took <= steal_ns_max && are_short))
        last_steal.backoff_ns =
            std::clamp(2 * last_steal.backoff_ns, backoff_ns_min, backoff_ns_max);
    else last_steal.backoff_ns = 0;
    if (are_short && took <= telling_ns) try_to_proceed();
}

std::uint32_t steal_max(const m& self) {
    return self.last_steal.rescue_max != 0 && producer_for(*self.pp) != nullptr
               ? self.last_steal.rescue_max
               : most;
}

bool leaves_spill(const m& self) {
    const p* const producer = producer_for(*self.pp);
    // relaxed, both: hints
    return producer != nullptr && !sched.urgent_waits.load(memory_order_relaxed) &&
           sched.spiller.load(memory_order_relaxed) == producer;
}

bool is_waiting_worth_it() {
    const std::int32_t busy = busy_p_count();
    return busy <= processor_count() &&
           busy > sched.nmspinning.load(memory_order_relaxed);  // relaxed: a guess
}

steal_backoff::steal_backoff(m& self) : self_(self) {
    steal_record& last_steal = self.last_steal;
    const bool waits = is_waiting_worth_it();
    if (waits) producer_ = producer_for(*self.pp);
    if (producer_ != nullptr) {
        watch_producer();
        return;
    }
    last_steal.rescue_max = 0;
    if (!waits) last_steal.backoff_ns = 0;
    // After vain waits spin_ns is short, and so is the backoff.
    else until_ = nanotime() + std::min(last_steal.backoff_ns, 2 * self.spin_ns);
}

void steal_backoff::watch_producer() {
    looked_at_ = had_some_at_ = nanotime();
    until_ = looked_at_ + steal_trial_rules.slots_max * slot_ns;
    steps_ = steps_of(*producer_);
    steal_record& last_steal = self_.last_steal;
    if (last_steal.producer != producer_) last_steal.moved_at = looked_at_;
    last_steal.producer = producer_;
    // The producer has made no step since self took some of its goroutines.
    if (last_steal.rescue_max != 0 && steps_ == last_steal.steps_at_rescue) (void)end(producer_);
    else note_moves(looked_at_);
}

// Ends the backoff. Goroutines of the producer are taken in growing numbers; any other p is served
// without that limit.
bool steal_backoff::end(p* starving_p) {
    steal_record& last_steal = self_.last_steal;
    last_steal.rescue_max = starving_p != nullptr && starving_p == producer_
                                ? std::clamp(2 * last_steal.rescue_max, rescue_batch, most)
                                : 0;
    last_steal.steps_at_rescue = last_steal.rescue_max != 0 ? steps_of(*producer_) : 0;
    starving_p_ = starving_p;
    producer_ = nullptr;
    until_ = 0;
    return false;
}

bool steal_backoff::lasts() {
    const std::int64_t now = nanotime();
    if (now >= until_) return false;
    if (producer_ == nullptr)
        return sched.runq_size.load(memory_order_relaxed) == 0;  // relaxed: a hint
    if (now - looked_at_ < look_ns) return true;
    try_to_proceed();
    if (producer_for(*self_.pp) == nullptr || !is_waiting_worth_it()) return end(nullptr);
    if (global_has_work() && !leaves_spill(self_)) return end(nullptr);
    if (does_anyone_else_wait(now)) return false;
    if (!does_producer_progress(now)) return end(producer_);
    return is_there_anything_left(now) || end(nullptr);
}

bool steal_backoff::does_producer_progress(std::int64_t now) {
    const std::uint32_t done = steps_of(*producer_) - steps_;
    if (done * quick_step_ns < now - looked_at_ ||
        do_timers_wait(*producer_, now - stands_still_ns))
        return false;
    steps_ += done;
    looked_at_ = now;
    note_moves(now);
    return now - self_.last_steal.moved_at <= stands_still_ns;
}

// In a full ring a new head is no proof of progress, because a spill into the global queue moves it
// too; and during a long turn neither queue is served. So progress also needs a new tick.
void steal_backoff::note_moves(std::int64_t now) {
    steal_record& last_steal = self_.last_steal;
    // relaxed, both: a guess
    const std::uint32_t tick = producer_->sched_tick.load(memory_order_relaxed);
    const std::uint32_t head = producer_->runq_head.load(memory_order_relaxed);
    const bool has_turns = tick != last_steal.producer_tick;
    const bool is_empty = runq_ring_empty(*producer_);
    if (is_empty ? global_has_work() && !has_turns : head == last_steal.producer_head || !has_turns)
        return;
    last_steal.producer_tick = tick;
    last_steal.producer_head = head;
    last_steal.moved_at = now;
    last_steal.rescue_max = 0;
}

bool steal_backoff::does_anyone_else_wait(std::int64_t now) {
    const p* seen = nullptr;
    for (std::int32_t i = 0; i < proc_count(); ++i) {
        p& pp = *sched.allp[i];
        if (&pp == producer_) continue;
        if (do_timers_wait(pp, now) || (&pp != self_.pp && !runq_ring_empty(pp))) {
            (void)end(&pp);
            return true;
        }
        const g* const next = pp.runnext.load(memory_order_relaxed);  // relaxed: only compared
        if (next == nullptr || &pp == self_.pp) continue;
        if (&pp == other_ && next == next_) {
            (void)end(&pp);
            return true;
        }
        if (seen == nullptr) {
            seen = other_ = &pp;
            next_ = next;
        }
    }
    if (seen == nullptr) other_ = nullptr;
    return false;
}

bool steal_backoff::is_there_anything_left(std::int64_t now) {
    if (global_has_work() || !runq_ring_empty(*producer_)) had_some_at_ = now;
    return now - had_some_at_ <= stands_still_ns;
}

}  // namespace rota::rt
