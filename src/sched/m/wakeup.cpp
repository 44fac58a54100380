// Implements the wake-ups of ms (wakep and its variants) and of the poller.
#include "sched/base/wakeup.hpp"

#include "core/getg.hpp"
#include "core/sched.hpp"
#include "netpoll/poller.hpp"
#include "sched/m/m_lifecycle.hpp"
#include "sched/queue/idle.hpp"
#include "sched/queue/poll_mode.hpp"
#include "sched/queue/run_queue.hpp"
#include "sys/thread/asymmetric.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

// Wakes or starts one spinner. True: the p has gone to an m that does not spin.
bool wake_one() {
    std::int32_t nobody = 0;
    if (!sched.nmspinning.compare_exchange(nobody, 1, memory_order_seq_cst,  // pairs(wake.submit)
                                           memory_order_relaxed)) {
        return false;  // relaxed: a spinner exists, it looks again before it sleeps
    }
    p* pp = nullptr;
    {
        const lock_guard guard(sched.mu);
        pp = pidle_get_spinning();
        // Under the lock: an m that idles a p after this finds the count right, and need_spinning
        // set.
        if (pp == nullptr) {
            ROTA_CHECK(sched.nmspinning.fetch_sub(1, memory_order_seq_cst) >
                       0);  // pairs(wake.submit)
        }
    }
    return pp != nullptr && start_spinner(*pp);
}

ROTA_ALWAYS_INLINE bool is_spinner_needed() {
    light_fence();                                                  // pairs(wake.submit)
    if (sched.idle_p_count.load(memory_order_seq_cst) == 0) {       // pairs(wake.submit)
        if (!sched.need_spinning.load(memory_order_seq_cst)) {      // pairs(wake.need)
            sched.need_spinning.store(true, memory_order_seq_cst);  // pairs(wake.need)
        }
        if (ROTA_LIKELY(sched.idle_p_count.load(memory_order_seq_cst) == 0))
            return false;  // pairs(wake.submit)
    }
    return sched.nmspinning.load(memory_order_seq_cst) == 0;  // pairs(wake.submit)
}

ROTA_NOINLINE void wakep_slow() {
    // relaxed: a woken m looks at it, and stays away
    if (sched.exiting.load(memory_order_relaxed)) return;
    while (wake_one() && is_spinner_needed()) {
    }
}

}  // namespace

void wakep() {
    if (is_spinner_needed()) wakep_slow();
}

namespace {

// The caller sets wake_owed and then looks whether sysmon is alert; sysmon stops being alert and
// then reads wake_owed. With seq_cst on both sides, the caller or sysmon sees the store of
// the other thread. If wake_owed is set already, sysmon takes it after this look, and then goes on
// looking for many rounds.
bool leave_to_sysmon() {
    if (!sched.wake_owed.load(memory_order_seq_cst))
        sched.wake_owed.store(true, memory_order_seq_cst);  // pairs(wake.owed)
    return sched.sysmon_alert.load(memory_order_seq_cst);   // pairs(wake.owed)
}

constexpr std::uint32_t vain_max = 4;

// relaxed: advice
bool is_spinning_vain() { return sched.vain_spins.load(memory_order_relaxed) >= vain_max; }

}  // namespace

void wakep_later() {
    // relaxed: without an idle p there is no m to wake, now or later
    if (sched.idle_p_count.load(memory_order_relaxed) == 0 || !leave_to_sysmon()) wakep();
}

void wakep_for_next(const p& pp) {
    // relaxed: this m owns the ring
    if (ROTA_LIKELY(!is_spinning_vain()) ||
        pp.runq_head.load(memory_order_relaxed) != pp.runq_tail.load(memory_order_relaxed))
        return wakep();
    wakep_later();
}

namespace {

// Queues gp as urgent. False: the urgent queue is as long as the ring, where gp's turn comes
// sooner.
bool put_among_urgent(g& gp, std::uint32_t in_ring) {
    const lock_guard guard(sched.mu);
    if (sched.urgent.size() >= in_ring) return false;
    global_put_urgent(gp);
    return true;
}

}  // namespace

void put_with_extras(m& self, g& gp) {
    p& pp = *self.pp;
    // relaxed: only the owner fills it
    const bool is_first = pp.runnext.load(memory_order_relaxed) == nullptr;
    const bool urgently = (self.ready_extras & m::ready_urgently) != 0 && !is_first;
    if (ROTA_UNLIKELY(urgently) && put_among_urgent(gp, runq_ring_length(pp))) return;
    runq_put(pp, gp, !urgently);
    if ((self.ready_extras & m::ready_quietly) == 0) wakep_for_next(pp);
}

bool leave_next_to_sysmon() { return is_spinning_vain() && leave_to_sysmon(); }

void note_spin(bool found) {
    const std::uint32_t vain = sched.vain_spins.load(memory_order_relaxed);  // relaxed: advice
    if (found ? vain != 0 : vain < 1000)
        sched.vain_spins.store(found ? 0 : vain + 1, memory_order_relaxed);
}

void allow_one_vain_spin() {
    if (is_spinning_vain())
        sched.vain_spins.store(vain_max - 1, memory_order_relaxed);  // relaxed: advice
}

bool is_spinning_worthwhile(int spins) {
    constexpr int spins_max = 4;
    const m& self = getm();
    if (spins >= spins_max || processor_count() == 1 || self.pp == nullptr) return false;
    // relaxed: a guess about the work of further ms
    const std::int32_t unhelpful = sched.idle_p_count.load(memory_order_relaxed) +
                                   sched.nmspinning.load(memory_order_relaxed) + 1;
    return proc_count() > unhelpful && runq_empty(*self.pp);
}

void wake_poller(std::int64_t when) {
    if (sched.last_poll.load(memory_order_seq_cst) == 0) {  // pairs(timer.poller)
        const std::int64_t until =
            sched.poll_until.load(memory_order_seq_cst);  // pairs(timer.poller)
        if (until == 0 || until > when) net_poller.wake();
    } else if (!has_busy_poller()) {
        wakep();  // else sysmon looks at the timers of idle ps: sched/policy/poll_trial
    }
}

// The caller has counted itself before. An m that leaves the poller stores last_poll, then looks
// whether anything waits. With seq_cst on both sides, the caller or the m sees the store.
void want_poller() {
    const bool polled = sched.last_poll.load(memory_order_seq_cst) == 0;  // pairs(timer.poller)
    // A busy m holds the last p at some time, and then sees the waiter.
    if (!polled && !has_busy_poller()) wakep();
}

}  // namespace rota::rt
