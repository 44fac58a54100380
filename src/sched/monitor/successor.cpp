// Chooses between an idle m and the first stopped m in line, and gives that m the p.
#include "sched/monitor/successor.hpp"

#include "netpoll/poller.hpp"
#include "sched/base/wakeup.hpp"
#include "sched/m/m_lifecycle.hpp"
#include "sched/m/standby.hpp"
#include "sched/preempt/suspend.hpp"
#include "sched/queue/idle.hpp"
#include "sched/queue/suspended_queue.hpp"

namespace rota::rt {

namespace {

successor find_successor(const p& pp, suspended_turn turn, std::int64_t now)
    ROTA_REQUIRES(sched.mu) {
    if ((turn == suspended_turn::first && !sched.world_stops) || is_for_suspended(pp)) {
        if (m* const mp = pop_suspended()) return {mp, true};
    }
    if (m* const mp = midle_get()) return {mp, false};
    if (does_an_order_come(now) || is_poller_free() || turn == suspended_turn::none) return {};
    return {pop_suspended(), true};
}

}  // namespace

successor reserve_m(const p& pp, suspended_turn turn, std::int64_t now) {
    successor h;
    bool call_poller = false;
    {
        const lock_guard guard(sched.mu);
        h = find_successor(pp, turn, now);
        call_poller = h.mp == nullptr && is_poller_free();
    }
    if (call_poller) net_poller.wake();  // the m in the poller will be idle in a moment
    return h;
}

void give_p_to(successor to, p& pp) {
    if (to.is_stopped) resume_suspended(*to.mp, pp);
    else handoffp(pp, to.mp);
}

void return_successor(successor to) {
    bool goes_on = false;
    {
        const lock_guard guard(sched.mu);
        if (!to.is_stopped) midle_put(*to.mp);
        else goes_on = !unpop_suspended(*to.mp);
    }
    if (goes_on) to.mp->park.wakeup();
    else if (to.is_stopped) wakep();  // a p may have become idle that did not see the m in line
}

}  // namespace rota::rt
