// Sleeping on a timer of the p. Go: timeSleep.
#include <rota/time.hpp>

#include "core/getg.hpp"
#include "sched/entry.hpp"
#include "sched/park.hpp"
#include "sched/wakeup.hpp"
#include "sys/clock.hpp"
#include "timer/heap.hpp"

namespace rota::detail {

using namespace rota::rt;

namespace {

void wake_sleeper(timer& t) { goready(*static_cast<g*>(t.arg)); }

// Runs once the sleeper's registers are saved. From add() on it may be awake and its timer gone.
bool arm(g&, void* arg) {
    timer& t = *static_cast<timer*>(arg);
    const std::int64_t when = t.when;
    if (getm().pp->timers.add(t)) wake_poller(when);
    return true;
}

// A thread that rota did not start sleeps by itself.
void sleep_thread(m& self, std::int64_t when) {
    self.park.clear();
    (void)self.park.sleep_until(when);
}

}  // namespace

std::int64_t clock_now() noexcept { return nanotime(); }

void sleep_until_ns(std::int64_t when) {
    if (when <= nanotime()) return;
    const runtime_entry inside;
    m& self = getm();
    if (self.curg->is_thread) return sleep_thread(self, when);
    timer t{when, wake_sleeper, self.curg};
    gopark(arm, &t, wait_reason::sleep);
}

}  // namespace rota::detail
