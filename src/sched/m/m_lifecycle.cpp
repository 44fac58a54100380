// Starts ms, stops them, and hands their ps on.
#include "sched/m/m_lifecycle.hpp"

#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/fatal.hpp"
#include "base/probe.hpp"
#include "mem/mapped.hpp"
#include "netpoll/poller.hpp"
#include "sched/base/wakeup.hpp"
#include "sched/m/m_record.hpp"
#include "sched/m/standby.hpp"
#include "sched/m/template_thread.hpp"
#include "sched/preempt/lend.hpp"
#include "sched/queue/deadlock.hpp"
#include "sched/queue/idle.hpp"
#include "sched/queue/m_bind.hpp"
#include "sched/queue/placement.hpp"
#include "sched/queue/run_queue.hpp"
#include "sched/queue/suspended_queue.hpp"
#include "sched/queue/timers.hpp"
#include "sys/call/clock.hpp"
#include "sys/signal/signal.hpp"
#include "sys/thread/asymmetric.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

// Puts pp on the idle list, and the reserved m on its own. False: there is work after all, or pp is
// the last busy p and its timers, or the descriptors that goroutines wait for, have no poller.
bool try_idle(p& pp, std::int64_t when, m* reserved) {
    const lock_guard guard(sched.mu);
    const bool last =
        sched.idle_p_count.load(memory_order_relaxed) == proc_count() - 1;  // relaxed: under mu
    const bool polled = sched.last_poll.load(memory_order_seq_cst) == 0;    // pairs(timer.poller)
    if (sched.runq_size.load(memory_order_relaxed) != 0) return false;  // relaxed: changed under mu
    if (last && !polled && (when != 0 || net_poller.has_waiters())) return false;
    pidle_put(pp);
    if (reserved != nullptr) midle_put(*reserved);
    return true;
}

}  // namespace

bool is_for_suspended(const p& pp) {
    if (sched.suspended_first == nullptr || !sched.urgent.empty() || ahead_of_suspended() != 0 ||
        !runq_empty(pp))
        return false;
    return !are_timers_to_run(pp);
}

namespace {

// Finds an m for pp: the reserved m, else a sleeping m, else a stopped m, else a new m. Null: there
// is none, and pp is idle again. `as`: the kind of m that was found.
enum class m_kind : std::uint8_t { idle, stopped, fresh, none };

m* find_m(p& pp, bool spinning, m* reserved, m_kind& as) ROTA_EXCLUDES(sched.mu) {
    const lock_guard guard(sched.mu);
    if (reserved != nullptr) midle_put(*reserved);  // so that midle_get returns it
    m* mp = !spinning && is_for_suspended(pp) ? nullptr : midle_get();
    as = m_kind::idle;
    if (mp == nullptr) {
        as = m_kind::stopped;
        mp = pop_suspended();
    }
    if (mp == nullptr && is_an_m_on_its_way()) {
        as = m_kind::none;
        idle_again(pp, spinning);
        return nullptr;
    }
    sched.m_missed_since.store(0, memory_order_relaxed);  // relaxed: under sched.mu
    if (mp == nullptr) {
        as = m_kind::fresh;
        count_m();
        mp = &any_m_record();
        if (sched.m_count > sched.m_max) {  // counts as rota's own, as long as it lives
            mp->is_standby = true;
            ++sched.standby_count;
        }
        note_limit();
        mp->starting_next = sched.starting_ms;
        sched.starting_ms = mp;
    }
    ROTA_CHECK(!mp->spinning && mp->next_p == nullptr);
    mp->spinning = spinning && as != m_kind::stopped;
    mp->next_p = &pp;
    return mp;
}

// True: as start_spinner.
bool start(p& pp, bool spinning, m* reserved) {
    const int processor = std::exchange(pp.vacated, p::anywhere);
    m_kind kind{};
    m* const mp = find_m(pp, spinning, reserved, kind);
    if (kind == m_kind::none) {
        // An m that sleeps in the poller may take the p.
        const bool polls = sched.last_poll.load(memory_order_seq_cst) == 0;  // pairs(timer.poller)
        if (polls) net_poller.wake();
        return false;
    }
    if (kind == m_kind::fresh) {
        make_thread_of(*mp);
        order_standbys_ahead();
        return false;
    }
    if (kind == m_kind::idle)
        shared_counts.wakeups.fetch_add(1, memory_order_relaxed);  // relaxed: for reports
    wake_on(*mp, processor);
    if (kind == m_kind::idle || !spinning) return false;
    // A stopped m does not spin: uncounted, like a spinner that has found work.
    ROTA_CHECK(sched.nmspinning.fetch_sub(1, memory_order_seq_cst) > 0);  // pairs(wake.submit)
    return true;
}

// Gives a lent p back to its lender. Due timers come first: the m that runs them then gives the p
// back.
bool is_returned(p& pp) {
    if (ROTA_LIKELY(pp.lender == nullptr)) return false;
    return !are_timers_to_run(pp) && return_to_lender(pp);
}

}  // namespace

bool start_spinner(p& pp) { return start(pp, true, nullptr); }

void startm(p& pp, bool spinning, m* reserved) {
    if (start(pp, spinning, reserved)) wakep();
}

void stopm(m& self) {
    ROTA_CHECK(self.pp == nullptr && !self.spinning);
    bool dead = false;
    {
        const lock_guard guard(sched.mu);
        self.park.clear();
        midle_put(self);
        dead = is_deadlocked();
    }
    if (dead) confirm_deadlock();
    ROTA_PROBE1("m_park", "8", self.id);
    self.park.sleep();
    ROTA_PROBE1("m_wake", "8", self.id);
    is_awake_again(self);
    acquirep(self, *self.next_p);
    self.next_p = nullptr;
}

void handoffp(p& pp, m* reserved) {
    ROTA_PROBE1("p_handoff", "-4", pp.id);
    if (reserved == nullptr && is_returned(pp)) return;
    if (!runq_empty(pp) || global_has_work()) {
        // Handed on twice in one tick: a chain of ms that go on with the same slice. It ends here.
        const std::uint32_t tick = pp.sched_tick.load(memory_order_relaxed);  // relaxed: ours
        if (tick == pp.handed_on_tick) pp.slice_over = true;
        pp.handed_on_tick = tick;
        return startm(pp, false, reserved);
    }
    // No work here. If no m looks for work, an m must: work may come up elsewhere right now.
    std::int32_t nobody = 0;
    if (sched.nmspinning.load(memory_order_seq_cst) +
                sched.idle_p_count.load(memory_order_seq_cst) ==
            0 &&  // pairs(wake.submit)
        sched.nmspinning.compare_exchange(nobody, 1, memory_order_seq_cst,
                                          memory_order_relaxed)) {  // pairs(wake.submit)
        sched.need_spinning.store(false, memory_order_seq_cst);     // pairs(wake.need)
        return startm(pp, true, reserved);
    }
    const std::int64_t when = pp.timers.bound();
    if (!try_idle(pp, when, reserved)) return startm(pp, false, reserved);
    // Submitters that saw no idle p before this one have set need_spinning.
    if (sched.need_spinning.load(memory_order_seq_cst)) wakep();  // pairs(wake.need)
    if (when != 0) wake_poller(timer_run_at(pp, when));
    // a goroutine that has just parked may wait for a descriptor
    else if (net_poller.has_waiters()) want_poller();
}

}  // namespace rota::rt
