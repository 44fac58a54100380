// Counts these ms for the deadlock detector.
#include "sched/thread/locked_sleep.hpp"

#include "sched/queue/deadlock.hpp"

namespace rota::rt {

bool begin_locked_sleep(m& self) {
    self.park.clear();
    self.locked_idle = true;
    ++sched.locked_idle_count;
    return is_deadlocked();
}

bool end_locked_sleep(m& main_m) {
    if (!main_m.locked_idle) return false;
    main_m.locked_idle = false;
    --sched.locked_idle_count;
    return true;
}

}  // namespace rota::rt
