// Who is looked at, and what is done about it. Everything here runs on sysmon's thread; it
// allocates nothing and waits for no lock but the runtime's own.
#include "sched/hostage.hpp"

#include "base/fatal.hpp"
#include "sched/deadlock.hpp"
#include "sched/m_lifecycle.hpp"
#include "sched/maker.hpp"
#include "sched/run_queue.hpp"
#include "sched/suspend.hpp"
#include "sched/take.hpp"
#include "sys/signal.hpp"
#include "sys/thread.hpp"

namespace rota::rt {

namespace {

constexpr std::int64_t time_slice = 10'000'000;  // ns: one goroutine's turn
constexpr std::int64_t blocked_grace = 100'000;  // ns: for a call that is over soon
constexpr std::int64_t blocked_unneeded = 10'000'000;
constexpr std::int64_t answer_time = 20'000;       // ns: to honour a request to yield
constexpr std::int64_t run_without_p = 1'000'000;  // ns of a thread's own time
constexpr std::int64_t stuck_after = 30'000'000;   // ns
constexpr std::int64_t spare_period = 1'000'000;   // ns between two orders of a spare m
constexpr std::int64_t attention = 50'000'000;     // ns after a stop: goroutines come that compute
constexpr int follow_at_most = 64;                 // ms a round
// Stopped threads cost memory and count against the limit of threads. At this number no further p
// is taken from a goroutine that computes; those that are stopped get their turns.
constexpr std::uint32_t suspended_max = 1024;

bool is_timer_due(const p& pp, std::int64_t now) {
    const std::int64_t when = pp.timers.earliest_hint();
    return when != 0 && when <= now;
}

bool is_needed(const p& pp, std::int64_t now) {
    return global_has_work() || !runq_empty(pp) || is_timer_due(pp, now);
}

bool is_any_idle() {
    return sched.idle_p_count.load(memory_order_relaxed) != 0;  // relaxed: a hint
}

// Whether there is an m for a p that is taken from a goroutine that computes. It must be there
// before: what makes threads may wait for the very goroutine.
bool has_spare(const p& pp) {
    const lock_guard guard(sched.mu);
    return sched.idle_m_count > 0 || is_for_suspended(pp);
}

bool are_too_many_stopped() {
    const lock_guard guard(sched.mu);
    return sched.suspended_count >= suspended_max;
}

}  // namespace

void hostages_allow_stops(int signal) {
    hostages.signal = signal;
    hostages.stops = true;
    on_stop_signal(signal, suspend_here);
}

bool hostage_watch::round(std::int64_t now) {
    look_again_ = soon::no;
    if (sched.no_stops.load(memory_order_relaxed)) {  // relaxed: looked at again
        release_all_suspended();
        return false;
    }
    bool taken = false;
    for (std::int32_t i = 0; i < proc_count(); ++i) taken = look_at(*sched.allp[i], now) || taken;
    follow();
    free_what_is_stuck(now);
    return taken;
}

long hostage_watch::nap_us_max(std::int64_t now) const {
    constexpr long question_us = 20, work_us = 500, unlimited_us = 10'000;
    if (look_again_ == soon::question_open) return question_us;
    long us = look_again_ == soon::work_waits || now < attentive_until_ ? work_us : unlimited_us;
    if (is_any_idle()) return us;
    // Nobody polls while all ps are busy: a timer of a p whose goroutine computes is our business.
    for (std::int32_t i = 0; i < proc_count(); ++i) {
        const std::int64_t when = sched.allp[i]->timers.earliest_hint();
        if (when == 0) continue;
        const std::int64_t left_us = (when - now) / 1000;
        if (left_us < us) us = left_us > question_us ? left_us : work_us / 4;
    }
    return us;
}

// True: pp was taken from an m that is blocked.
bool hostage_watch::look_at(p& pp, std::int64_t now) {
    auto& w = pp.watch;
    m* const mp = pp.mp.load(memory_order_acquire);                       // pairs(p.m)
    const std::uint32_t tick = pp.sched_tick.load(memory_order_relaxed);  // relaxed: a round late
    if (mp == nullptr || w.mp != mp || w.tick != tick) {
        w = {mp, tick, now, -1, now, 0};
        if (mp != nullptr && is_needed(pp, now)) look_again_ = soon::work_waits;
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
    if (cpu != w.cpu) {
        w.cpu = cpu;
        w.still_since = now;
        if (needed) look_at_running(pp, *mp, now);
        return false;
    }
    if (now - w.still_since < (needed ? blocked_grace : blocked_unneeded)) {
        if (needed) look_again_ = soon::question_open;
        return false;
    }
    if (!is_thread_asleep(tid)) {  // it would run, but has no processor
        if (needed) look_at_running(pp, *mp, now);
        return false;
    }
    return take(pp, *mp);
}

void hostage_watch::look_at_running(p& pp, m& mp, std::int64_t now) {
    auto& w = pp.watch;
    if (!hostages.stops) return;
    const std::int64_t turn =
        is_timer_due(pp, now) ? hostages.interactive_after : std::int64_t{time_slice};
    if (now - w.since < turn) return;
    // First the polite way: one that uses rota has yielded by the next look.
    if (w.asked_at == 0) {
        w.asked_at = now;
        mp.preempt.store(true, memory_order_relaxed);  // relaxed: advice
        look_again_ = soon::question_open;
        return;
    }
    if (now - w.asked_at < answer_time) {
        look_again_ = soon::question_open;
        return;
    }
    if (!mp.preempt.load(memory_order_relaxed)) {  // relaxed: advice
        w.asked_at = 0;                            // it has answered
        return;
    }
    stop(pp, mp, now);
}

// Hands pp on if it can be taken. While we, who are no m, hold it, all ms may be asleep without
// anything being wrong: the deadlock detector is told, and asked again afterwards.
bool hostage_watch::take(p& pp, m& mp) {
    sched.retaking.store(true, memory_order_relaxed);  // relaxed: published with the p
    const bool taken = take_p(pp);
    if (taken) {
        shared_counts.handoffs.fetch_add(1, memory_order_relaxed);  // relaxed: for reports
        handoffp(pp);
    }
    bool dead = false;
    {
        const lock_guard guard(sched.mu);
        sched.retaking.store(false, memory_order_relaxed);  // relaxed: under sched.mu
        dead = is_deadlocked();
    }
    if (dead) report_deadlock();
    if (!taken) return false;
    mp.cpu_seen = thread_cpu_time(mp.tid.load(memory_order_relaxed));  // relaxed: see tid
    mp.cpu_allowed = mp.cpu_seen + run_without_p;
    return true;
}

// From here on we make no thread that would inherit the short slice.
void hostage_watch::begin_stopping() {
    start_maker();
    if (is_served_early_) return;
    is_served_early_ = true;
    thread_runs_briefly();
}

void hostage_watch::order_spare(std::int64_t now) {
    look_again_ = soon::work_waits;
    if (now - spare_ordered_at_ < spare_period) return;
    spare_ordered_at_ = now;
    (void)make_spare_m();
}

void hostage_watch::stop(p& pp, m& mp, std::int64_t now) {
    if (are_too_many_stopped()) return;
    begin_stopping();
    if (!has_spare(pp)) return order_spare(now);
    if (!take(pp, mp)) return;
    attentive_until_ = now + attention;
    (void)thread_signal(mp.tid.load(memory_order_relaxed), hostages.signal);  // relaxed: see tid
}

// False: the m has come back, or has got a p.
bool hostage_watch::is_still_out(m& mp) {
    if (mp.entry.load(memory_order_relaxed) != entry_state::taken) return false;  // relaxed: a hint
    if (mp.suspended.load(memory_order_relaxed)) return true;                     // relaxed: a hint
    const int tid = mp.tid.load(memory_order_relaxed);  // relaxed: see tid
    const std::int64_t cpu = thread_cpu_time(tid);
    if (cpu == mp.cpu_seen) return true;  // blocked
    mp.cpu_seen = cpu;
    if (look_again_ == soon::no) look_again_ = soon::work_waits;
    if (cpu < mp.cpu_allowed || !hostages.stops || is_thread_asleep(tid)) return true;
    mp.cpu_allowed = cpu + run_without_p;
    begin_stopping();
    (void)thread_signal(tid, hostages.signal);
    return true;
}

void hostage_watch::adopt_taken() {
    for (m* mp = ms_just_taken(); mp != nullptr;) {
        m* const next = mp->taken_next;
        mp->cpu_seen = thread_cpu_time(mp->tid.load(memory_order_relaxed));  // relaxed: see tid
        mp->cpu_allowed = mp->cpu_seen + run_without_p;
        mp->taken_next = followed_;
        followed_ = mp;
        mp = next;
    }
}

void hostage_watch::follow() {
    adopt_taken();
    m** link = &followed_;
    for (int i = 0; i < follow_at_most && *link != nullptr; ++i) {
        m& mp = **link;
        m* const next = mp.taken_next;
        if (is_still_out(mp) || !is_back(mp)) link = &mp.taken_next;
        else *link = next;  // it may be on the other list already
    }
    if (*link == nullptr || link == &followed_) return;
    // The rest comes first next time.
    m* const rest = *link;
    *link = nullptr;
    m* last = rest;
    while (last->taken_next != nullptr) last = last->taken_next;
    last->taken_next = followed_;
    followed_ = rest;
}

// Nothing has been started for long, although a thread that is stopped waits for a p. Whoever has
// the ps may wait, inside the runtime, for what it holds: it goes on without a p.
void hostage_watch::free_what_is_stuck(std::int64_t now) {
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
    } else if (now - stuck_since_ > stuck_after) {
        stuck_since_ = now;
        m* const mp = release_suspended();
        if (mp != nullptr) mp->cpu_allowed = mp->cpu_seen + time_slice;
    }
    if (anyone && look_again_ == soon::no) look_again_ = soon::work_waits;
}

}  // namespace rota::rt
