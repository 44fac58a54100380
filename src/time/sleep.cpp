// Puts the current goroutine or thread to sleep, by a timer of the p. Go: timeSleep.
#include <rota/detail/time_engine.hpp>

#include "core/getg.hpp"
#include "sched/base/bubble.hpp"
#include "sched/base/park.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/queue/timers.hpp"
#include "sys/call/clock.hpp"

namespace rota::detail {

using namespace rota::rt;

namespace {

// Commit function: runs once the sleeper's registers are saved. From ready_at() on it may be awake.
bool arm(g& gp, void* when) {
    ready_at(gp, *static_cast<const std::int64_t*>(when));
    return true;
}

// Sleeps in a thread that rota did not start.
void sleep_thread(m& self, std::int64_t when) {
    self.park.clear();
    (void)self.park.sleep_until(when);
}

}  // namespace

std::int64_t clock_now() noexcept { return current_now(); }

namespace {

void sleep(std::int64_t when) {
    const runtime_entry inside;
    m& self = getm();
    if (self.curg->is_thread && !virtual_clock.on()) return sleep_thread(self, when);
    gopark(arm, &when, wait_reason::sleep);
}

}  // namespace

void sleep_until_ns(std::int64_t when) {
    if (when > current_now()) sleep(when);
}

void sleep_for_ns(std::int64_t ns) {
    if (ns > 0) sleep(saturated_add(current_now(), ns));
}

}  // namespace rota::detail
