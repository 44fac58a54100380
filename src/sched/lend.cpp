// Lending and giving back.
#include "sched/lend.hpp"

#include <utility>

#include "sched/idle.hpp"
#include "sched/m_lifecycle.hpp"
#include "sched/run_queue.hpp"
#include "sched/suspend.hpp"
#include "sched/wakeup.hpp"
#include "sys/thread.hpp"

namespace rota::rt {

namespace {

// Whether mp has no p, and its thread runs: a hint. That it stands in line is not missed under
// sched.mu.
bool misses_p(const m& mp) {
    return mp.entry.load(memory_order_relaxed) == entry_state::taken &&  // relaxed: a hint
           !mp.suspended.load(memory_order_relaxed);                     // relaxed: see suspended
}

// The signal would interrupt its sleep.
bool is_asleep(const m& mp) {
    const int tid = mp.tid.load(memory_order_relaxed);  // relaxed: see tid
    return state_of_thread(tid) == thread_state::asleep;
}

bool is_ring_filled() {
    for (std::int32_t i = 0; i < proc_count(); ++i) {
        if (!runq_ring_empty(*sched.allp[i])) return true;
    }
    return false;
}

// Whether a spinner would find nothing. Where one was called for in vain, that is forgotten; who
// calls from here on either sees the idle p or is heard behind it.
bool is_spinner_idle() ROTA_REQUIRES(sched.mu) {
    if (!sched.need_spinning.exchange(false, memory_order_seq_cst))
        return true;  // pairs(wake.need)
    if (!is_ring_filled()) return true;
    sched.need_spinning.store(true, memory_order_seq_cst);  // pairs(wake.need)
    return false;
}

bool put_back_if_unneeded(p& pp, const m& host) {
    const lock_guard guard(sched.mu);
    if (!sched.urgent.empty() || !sched.runq.empty() || !runq_empty(pp) || !misses_p(host) ||
        !is_spinner_idle())
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
    m& host = *std::exchange(pp.host, nullptr);
    if (!misses_p(host) || is_asleep(host) || !put_back_if_unneeded(pp, host)) return false;
    stop_thread(host);
    // Submitters that saw no idle p before this one have left word.
    if (sched.need_spinning.load(memory_order_seq_cst)) wakep();  // pairs(wake.need)
    return true;
}

}  // namespace rota::rt
