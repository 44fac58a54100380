// Lending and giving back.
#include "sched/lend.hpp"

#include "sched/idle.hpp"
#include "sched/m_lifecycle.hpp"
#include "sched/run_queue.hpp"
#include "sched/suspend.hpp"
#include "sys/thread.hpp"

namespace rota::rt {

namespace {

// Whether mp has no p, and its thread runs: a hint. That it stands in line is not missed under
// sched.mu.
bool misses_p(const m& mp) {
    return mp.entry.load(memory_order_relaxed) == entry_state::taken &&  // relaxed: a hint
           !mp.suspended.load(memory_order_relaxed);                     // relaxed: see suspended
}

// Otherwise the signal would interrupt its sleep.
bool is_awake(const m& mp) {
    const int tid = mp.tid.load(memory_order_relaxed);  // relaxed: see tid
    return state_of_thread(tid) == thread_state::awake;
}

// Whether somebody has called for a spinner in vain does not matter here: the p will be as busy as
// if it had not been lent, and the word stays for the next that becomes idle.
bool put_back_if_unneeded(p& pp, const m& host) {
    const lock_guard guard(sched.mu);
    if (!sched.urgent.empty() || !sched.runq.empty() || !runq_empty(pp) || !misses_p(host))
        return false;
    pidle_put(pp);
    return true;
}

}  // namespace

void lend(p& pp, m& host, m& to) {
    pp.host = &host;
    startm(pp, false, &to);
}

bool give_back(p& pp) {
    if (ROTA_LIKELY(pp.host == nullptr)) return false;
    m& host = *pp.host;
    if (!misses_p(host)) {
        pp.host = nullptr;
        return false;
    }
    if (sched.urgent_waits.load(memory_order_relaxed) ||  // relaxed: looked at again below
        !is_awake(host) || !put_back_if_unneeded(pp, host))
        return false;
    // It has come of itself by now and taken a p, or gone into a call, or it gets the signal.
    if (misses_p(host)) stop_thread(host);
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

}  // namespace rota::rt
