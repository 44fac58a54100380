// Lends a p to an m that has something short to run, and gives it back.
#include "sched/preempt/lend.hpp"

#include "sched/preempt/suspend.hpp"
#include "sched/queue/idle.hpp"
#include "sched/queue/run_queue.hpp"
#include "sys/call/clock.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

// Whether mp has no p, and its thread runs: a hint. That it stands in line is not missed under
// sched.mu.
bool misses_p(const m& mp) {
    return mp.entry.load(memory_order_relaxed) == entry_state::retaken &&  // relaxed: a hint
           !mp.suspended.load(memory_order_relaxed);                       // relaxed: see suspended
}

// Otherwise the signal would interrupt its sleep.
bool is_awake(const m& mp) {
    const int tid = mp.tid.load(memory_order_relaxed);  // relaxed: see tid
    return state_of_thread(tid) == thread_state::awake;
}

// Whether somebody has called for a spinner in vain does not matter here: the p will be as busy as
// if it had not been lent, and the word stays for the next that becomes idle.
bool put_back_if_unneeded(p& pp, m& host) {
    const lock_guard guard(sched.mu);
    if (!sched.urgent.empty() || !sched.runq.empty() || !runq_empty(pp) || !misses_p(host))
        return false;
    pidle_put(pp);
    pp.given_back_to = &host;
    return true;
}

constexpr std::int64_t coming_max = 10'000'000;  // ns: for a host that waits for a processor

// Whether the host has run since it lent a p while it waited for a processor. `clock`:
// p::host_clock of that p.
bool has_run(const m& host, std::int64_t clock) {
    const int tid = host.tid.load(memory_order_relaxed);  // relaxed: see tid
    return clock >= 0 && thread_cpu_time(tid) != clock;
}

// Whether pp is no longer owed to its host, which waited for a processor and has run since, or has
// not come in time.
bool is_no_host_any_more(const p& pp, const m& host) {
    if (pp.host_clock < 0) return false;
    return nanotime() - pp.lent_at > coming_max || has_run(host, pp.host_clock);
}

}  // namespace

void lend(p& pp, m& host, std::int64_t clock) {
    pp.host = &host;
    pp.host_clock = clock;
    pp.lent_at = nanotime();
}

bool give_back(p& pp) {
    if (ROTA_LIKELY(pp.host == nullptr)) return false;
    m& host = *pp.host;
    if (!misses_p(host) || is_no_host_any_more(pp, host)) {
        pp.host = nullptr;
        return false;
    }
    const std::int64_t clock = pp.host_clock;             // read before another m may take pp
    if (sched.urgent_waits.load(memory_order_relaxed) ||  // relaxed: looked at again below
        !is_awake(host) || !put_back_if_unneeded(pp, host))
        return false;
    // The host may have come of itself by now and taken a p, or gone into a call of rota's. If it
    // waited for a processor and has run, it may be in a call of its own, which the signal would
    // interrupt: then sysmon, which follows it, decides.
    if (misses_p(host) && !has_run(host, clock)) stop_thread(host);
    return true;
}

bool is_lent_still(p& pp) {
    constexpr std::uint32_t moment = 2 * 61;
    if (pp.host == nullptr) return false;
    const std::uint32_t tick = pp.sched_tick.load(memory_order_relaxed);  // relaxed: our own
    if (tick - pp.global_tick < moment) return true;
    pp.host = nullptr;
    return false;
}

void go_on_lending(p& pp) {
    m* const host = pp.given_back_to;
    if (host != nullptr && pp.host_clock >= 0 && misses_p(*host)) pp.host = host;
}

bool do_hosts_come(std::int64_t since) {
    for (std::int32_t i = 0; i < proc_count(); ++i)
        if (!runq_empty(*sched.allp[i])) return false;
    const lock_guard guard(sched.mu);
    for (const p* pp = sched.idle_p; pp != nullptr; pp = pp->idle_link) {
        const m* const host = pp->given_back_to;
        if (host == nullptr || pp->host_clock < 0 || pp->lent_at < since || !misses_p(*host))
            return false;
    }
    return sched.idle_p != nullptr;
}

}  // namespace rota::rt
