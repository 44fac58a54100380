// Counts these ms for the deadlock detector.
#include "sched/thread/locked_sleep.hpp"

#include "sched/queue/deadlock.hpp"

namespace rota::rt {

bool lie_down(m& self) {
    self.park.clear();
    self.locked_idle = true;
    ++sched.locked_idle_count;
    return is_deadlocked();
}

bool call_home(m& home) {
    if (!home.locked_idle) return false;
    home.locked_idle = false;
    --sched.locked_idle_count;
    return true;
}

}  // namespace rota::rt
