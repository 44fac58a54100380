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
bool has_lost_p(const m& mp) {
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
bool put_back_if_unneeded(p& pp, m& lender) {
    const lock_guard guard(sched.mu);
    if (!sched.urgent.empty() || !sched.runq.empty() || !runq_empty(pp) || !has_lost_p(lender))
        return false;
    pidle_put(pp);
    pp.returned_to = &lender;
    return true;
}

constexpr std::int64_t coming_max = 10'000'000;  // ns: for a lender that waits for a processor

// Whether the lender has run since it lent a p while it waited for a processor. `clock`:
// p::lender_clock of that p.
bool has_run(const m& lender, std::int64_t clock) {
    const int tid = lender.tid.load(memory_order_relaxed);  // relaxed: see tid
    return clock >= 0 && thread_cpu_time(tid) != clock;
}

// Whether pp is no longer owed to its lender, which waited for a processor and has run since, or
// has not come in time.
bool is_debt_void(const p& pp, const m& lender) {
    if (pp.lender_clock < 0) return false;
    return nanotime() - pp.lent_at > coming_max || has_run(lender, pp.lender_clock);
}

}  // namespace

void lend(p& pp, m& lender, std::int64_t clock) {
    pp.lender = &lender;
    pp.lender_clock = clock;
    pp.lent_at = nanotime();
}

bool return_to_lender(p& pp) {
    if (ROTA_LIKELY(pp.lender == nullptr)) return false;
    m& lender = *pp.lender;
    if (!has_lost_p(lender) || is_debt_void(pp, lender)) {
        pp.lender = nullptr;
        return false;
    }
    const std::int64_t clock = pp.lender_clock;           // read before another m may take pp
    if (sched.urgent_waits.load(memory_order_relaxed) ||  // relaxed: looked at again below
        !is_awake(lender) || !put_back_if_unneeded(pp, lender))
        return false;
    // The lender may have come of itself by now and taken a p, or gone into a call of rota's. If it
    // waited for a processor and has run, it may be in a call of its own, which the signal would
    // interrupt: then sysmon, which follows it, decides.
    if (has_lost_p(lender) && !has_run(lender, clock)) stop_thread(lender);
    return true;
}

bool is_lent_still(p& pp) {
    constexpr std::uint32_t moment = 2 * 61;
    if (pp.lender == nullptr) return false;
    const std::uint32_t tick = pp.sched_tick.load(memory_order_relaxed);  // relaxed: our own
    if (tick - pp.global_tick < moment) return true;
    pp.lender = nullptr;
    return false;
}

void go_on_lending(p& pp) {
    m* const lender = pp.returned_to;
    if (lender != nullptr && pp.lender_clock >= 0 && has_lost_p(*lender)) pp.lender = lender;
}

bool do_lenders_come(std::int64_t since) {
    for (std::int32_t i = 0; i < proc_count(); ++i)
        if (!runq_empty(*sched.allp[i])) return false;
    const lock_guard guard(sched.mu);
    for (const p* pp = sched.idle_p; pp != nullptr; pp = pp->idle_link) {
        const m* const lender = pp->returned_to;
        if (lender == nullptr || pp->lender_clock < 0 || pp->lent_at < since ||
            !has_lost_p(*lender))
            return false;
    }
    return sched.idle_p != nullptr;
}

}  // namespace rota::rt
