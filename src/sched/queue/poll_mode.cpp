// Reads the word sched.polls_alone and the hints about the last polls.
#include "sched/queue/poll_mode.hpp"

#include <algorithm>

#include "sched/queue/run_queue.hpp"
#include "sched/queue/timers.hpp"
#include "sys/call/clock.hpp"
#include "sys/thread/asymmetric.hpp"

namespace rota::rt {

bool is_left_to_owner(const p& pp) {
    light_fence();                                                    // pairs(poll.alone)
    if (!sched.polls_alone.load(memory_order_relaxed)) return false;  // pairs(poll.alone)
    return !are_turns_long(pp, nanotime());
}

bool is_left_to_another(const p& pp) {
    constexpr std::int64_t lately = 1'000'000;
    if (!is_left_to_one()) return false;
    // relaxed, here and below: hints. An m that misses the end of `alone` gives up its p as under
    // `shared`: the thread that ends the way, or queues work, finds the p idle, or has set
    // need_spinning.
    const std::int64_t since =
        std::max(pp.looked_at.load(memory_order_relaxed), nanotime() - lately);
    if (sched.last_poll.load(memory_order_relaxed) <= since) return false;
    for (std::int32_t i = 0; i < proc_count(); ++i) {
        const p& other = *sched.allp[i];
        if (&other == &pp || other.status.load(memory_order_relaxed) != p_status::running) continue;
        if (other.looked_at.load(memory_order_relaxed) > since) return true;
    }
    return false;
}

bool may_rest(const m& self) {
    if (self.spinning || !is_left_to_another(*self.pp)) return false;
    return next_timer_run(*self.pp) - nanotime() > rest_look_ns;
}

bool is_poller_elsewhere() {
    light_fence();  // pairs(poll.alone)
    // an m that misses the beginning sleeps in the poller, for all
    if (!is_left_to_one()) return false;
    const lock_guard guard(sched.mu);
    // relaxed: under sched.mu
    return !sched.world_stops && sched.idle_p_count.load(memory_order_relaxed) != proc_count();
}

}  // namespace rota::rt
