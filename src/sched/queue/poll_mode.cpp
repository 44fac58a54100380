// Reads the word sched.single_poller and the hints about the last polls.
#include "sched/queue/poll_mode.hpp"

#include <algorithm>

#include "sched/queue/run_queue.hpp"
#include "sched/queue/timers.hpp"
#include "sys/call/clock.hpp"
#include "sys/thread/asymmetric.hpp"

namespace rota::rt {

bool keeps_ready_local(const p& pp) {
    light_fence();                                                      // pairs(poll.single)
    if (!sched.single_poller.load(memory_order_relaxed)) return false;  // pairs(poll.single)
    return !are_turns_long(pp, nanotime());
}

bool another_m_polls(const p& pp) {
    constexpr std::int64_t lately = 1'000'000;
    if (!is_single_poller()) return false;
    // relaxed, here and below: hints. An m that misses the end of `single` gives up its p as under
    // `shared`: the thread that ends the way, or queues work, finds the p idle, or has set
    // need_spinning.
    const std::int64_t since =
        std::max(pp.last_polled_at.load(memory_order_relaxed), nanotime() - lately);
    if (sched.last_poll.load(memory_order_relaxed) <= since) return false;
    for (std::int32_t i = 0; i < proc_count(); ++i) {
        const p& other = *sched.allp[i];
        if (&other == &pp || other.status.load(memory_order_relaxed) != p_status::running) continue;
        if (other.last_polled_at.load(memory_order_relaxed) > since) return true;
    }
    return false;
}

bool may_idle(const m& self) {
    if (self.spinning || !another_m_polls(*self.pp)) return false;
    return next_timer_run(*self.pp) - nanotime() > rest_look_ns;
}

bool has_busy_poller() {
    light_fence();  // pairs(poll.single)
    // an m that misses the beginning sleeps in the poller, for all
    if (!is_single_poller()) return false;
    const lock_guard guard(sched.mu);
    // relaxed: under sched.mu
    return !sched.world_stops && sched.idle_p_count.load(memory_order_relaxed) != proc_count();
}

}  // namespace rota::rt
