// Judges hauls, keeps the trial of the two ways, and decides how long an m leaves other ps their
// work.
#include "sched/policy/haul.hpp"

#include <algorithm>

#include "sched/policy/trial.hpp"
#include "sched/queue/idle.hpp"
#include "sched/queue/run_queue.hpp"
#include "sched/queue/timers.hpp"
#include "sys/call/clock.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

// A haul is too little work if it was finished within `scrap_ns`, or within `haul_ns_max` by
// goroutines that took less than `short_run_ns` each. The m then leaves further work to the
// p that has it, for a time that doubles each time, between the two limits of patience.
constexpr std::int64_t scrap_ns = 4'000, haul_ns_max = 20'000, short_run_ns = 1'000;
constexpr std::int32_t patience_ns_min = 8'000, patience_ns_max = 32'000;

// Short goroutines that keep the m busy for longer than that have made goroutines, or waited for
// each other: they are worth the cost of moving.
constexpr std::int64_t telling_ns = 200'000;

// An m that leaves work to its maker looks at it every `look_ns`. It stops leaving work if the
// maker takes longer than `quick_step_ns` a step; or if, for `stands_still_ns`, the maker's ring
// stands still behind goroutines that ready each other, its timers wait, or it has no work to
// leave.
constexpr std::int64_t look_ns = 16'000, quick_step_ns = 1'000, stands_still_ns = 50'000;

// Where the maker makes no progress the m takes a few goroutines, twice as many each time until the
// maker goes on. The kernel may only keep the maker's thread waiting for a moment, and half a ring
// would be too much.
constexpr std::uint32_t most = p::runq_size / 2, first_aid = std::min(4u, most);

// The way `alone` is better only if it is faster by more than a tenth. If no m has taken or left
// work for `forgotten_after`, the trial begins afresh.
constexpr trial_way alone = trial_way::second;  // trial_way::first: shared
constexpr std::int64_t span_ns = 1'000'000;
constexpr trial_rules haul_rules{.span_ns = span_ns,
                                 .settling_ns = span_ns / 2,
                                 .counted_ns_min = span_ns / 4,
                                 .steps_min = 0,
                                 .overtime_ns = 0,
                                 .spans_max = 32,
                                 .growth = 2,
                                 .margin = 100,
                                 .margin_equal = 100,
                                 .memory = 1,
                                 .gain_of_harm = 0};
constexpr std::int64_t forgotten_after = 4 * haul_rules.spans_max * span_ns;

// Advice: relaxed, and not rota's atomics, which would be choices for the explorer of schedules.
struct {
    // Written by any m.
    p* from = nullptr;  // the p that the last haul came from
    p* by = nullptr;    // the p that took it
    bool held = false;
    // Written by the m that has set `held`; any m reads which way is on trial.
    two_way_trial trial{haul_rules};
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

// Ends the row on trial if its time is over. Caller: has set `held`.
void proceed() {
    two_way_trial& trial = advice.trial;
    const std::int64_t now = nanotime();
    if (trial.begun_at() == 0 || now - trial.begun_at() > forgotten_after)
        return trial.begin_afresh(now);
    if (trial.look(now, steps_of_all) == two_way_trial::row::is_over) trial.turn(now);
}

// One m at a time; an m that comes meanwhile goes on without.
void try_to_proceed() {
    if (__atomic_exchange_n(&advice.held, true, __ATOMIC_ACQUIRE)) return;  // pairs(haul.held)
    proceed();
    __atomic_store_n(&advice.held, false, __ATOMIC_RELEASE);  // pairs(haul.held)
}

// The p that the owner of pp leaves work to while the trial says `alone`; or null. A lent p leaves
// work to no other p: it goes back to its host.
p* maker_for(const p& pp) {
    if (advice.trial.now_is() != alone || pp.host != nullptr) return nullptr;
    p* const from = get(advice.from);
    return from != &pp ? from : get(advice.by);
}

bool do_timers_wait(const p& pp, std::int64_t now) {
    // A heap with nothing but stopped timers is left to its owner.
    return pp.timers.earliest_hint() != 0 && pp.timers.size() != 0 && next_timer_run(pp) <= now;
}

}  // namespace

void note_haul(m& self, p& from) {
    p& pp = *self.pp;
    if (&from == &pp) return;  // the goroutines come from the spill of this p's own ring
    self.haul.of = &pp;
    self.haul.tick = pp.sched_tick.load(memory_order_relaxed);  // relaxed: our own
    self.haul.at = nanotime();
    set(advice.from, &from);
    set(advice.by, &pp);
}

void judge_haul(m& self) {
    haul_record& haul = self.haul;
    if (haul.at == 0) return;
    const p& pp = *self.pp;
    const std::int64_t took = nanotime() - haul.at;
    haul.at = 0;
    if (haul.of != &pp) return;
    const std::uint32_t runs =
        pp.sched_tick.load(memory_order_relaxed) - haul.tick;  // relaxed: our own
    const bool are_short = took <= runs * short_run_ns;
    if (took <= scrap_ns || (took <= haul_ns_max && are_short))
        haul.patience_ns = std::clamp(2 * haul.patience_ns, patience_ns_min, patience_ns_max);
    else haul.patience_ns = 0;
    if (are_short && took <= telling_ns) try_to_proceed();
}

std::uint32_t haul_max(const m& self) {
    return self.haul.aid != 0 && maker_for(*self.pp) != nullptr ? self.haul.aid : most;
}

bool leaves_spill(const m& self) {
    const p* const maker = maker_for(*self.pp);
    // relaxed, both: hints
    return maker != nullptr && !sched.urgent_waits.load(memory_order_relaxed) &&
           sched.spiller.load(memory_order_relaxed) == maker;
}

bool is_waiting_worth_it() {
    const std::int32_t busy = busy_p_count();
    return busy <= processor_count() &&
           busy > sched.nmspinning.load(memory_order_relaxed);  // relaxed: a guess
}

moment_of_patience::moment_of_patience(m& self) : self_(self) {
    haul_record& haul = self.haul;
    const bool waits = is_waiting_worth_it();
    if (waits) maker_ = maker_for(*self.pp);
    if (maker_ != nullptr) {
        watch_maker();
        return;
    }
    haul.aid = 0;
    if (!waits) haul.patience_ns = 0;
    // After vain waits spin_ns is short, and so is the patience.
    else until_ = nanotime() + std::min(haul.patience_ns, 2 * self.spin_ns);
}

void moment_of_patience::watch_maker() {
    looked_at_ = had_some_at_ = nanotime();
    until_ = looked_at_ + haul_rules.spans_max * span_ns;
    steps_ = steps_of(*maker_);
    haul_record& haul = self_.haul;
    if (haul.maker != maker_) haul.moved_at = looked_at_;
    haul.maker = maker_;
    // The maker has made no step since self took some of its goroutines.
    if (haul.aid != 0 && steps_ == haul.steps_at_aid) (void)end(maker_);
    else note_moves(looked_at_);
}

// Ends the patience. Goroutines of the maker are taken in growing numbers; any other p is served
// without that limit.
bool moment_of_patience::end(p* needy) {
    haul_record& haul = self_.haul;
    haul.aid = needy != nullptr && needy == maker_ ? std::clamp(2 * haul.aid, first_aid, most) : 0;
    haul.steps_at_aid = haul.aid != 0 ? steps_of(*maker_) : 0;
    needy_ = needy;
    maker_ = nullptr;
    until_ = 0;
    return false;
}

bool moment_of_patience::lasts() {
    const std::int64_t now = nanotime();
    if (now >= until_) return false;
    if (maker_ == nullptr)
        return sched.runq_size.load(memory_order_relaxed) == 0;  // relaxed: a hint
    if (now - looked_at_ < look_ns) return true;
    try_to_proceed();
    if (maker_for(*self_.pp) == nullptr || !is_waiting_worth_it()) return end(nullptr);
    if (global_has_work() && !leaves_spill(self_)) return end(nullptr);
    if (does_anyone_else_wait(now)) return false;
    if (!does_maker_get_on(now)) return end(maker_);
    return is_there_anything_left(now) || end(nullptr);
}

bool moment_of_patience::does_maker_get_on(std::int64_t now) {
    const std::uint32_t done = steps_of(*maker_) - steps_;
    if (done * quick_step_ns < now - looked_at_ || do_timers_wait(*maker_, now - stands_still_ns))
        return false;
    steps_ += done;
    looked_at_ = now;
    note_moves(now);
    return now - self_.haul.moved_at <= stands_still_ns;
}

// In a full ring a new head is no proof of progress, because a spill into the global queue moves it
// too; and during a long turn neither queue is served. So progress also needs a new tick.
void moment_of_patience::note_moves(std::int64_t now) {
    haul_record& haul = self_.haul;
    // relaxed, both: a guess
    const std::uint32_t tick = maker_->sched_tick.load(memory_order_relaxed);
    const std::uint32_t head = maker_->runq_head.load(memory_order_relaxed);
    const bool has_turns = tick != haul.maker_tick;
    const bool is_empty = runq_ring_empty(*maker_);
    if (is_empty ? global_has_work() && !has_turns : head == haul.maker_head || !has_turns) return;
    haul.maker_tick = tick;
    haul.maker_head = head;
    haul.moved_at = now;
    haul.aid = 0;
}

bool moment_of_patience::does_anyone_else_wait(std::int64_t now) {
    const p* seen = nullptr;
    for (std::int32_t i = 0; i < proc_count(); ++i) {
        p& pp = *sched.allp[i];
        if (&pp == maker_) continue;
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

bool moment_of_patience::is_there_anything_left(std::int64_t now) {
    if (global_has_work() || !runq_ring_empty(*maker_)) had_some_at_ = now;
    return now - had_some_at_ <= stands_still_ns;
}

}  // namespace rota::rt
