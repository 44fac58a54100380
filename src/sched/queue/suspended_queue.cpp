// Links the suspended ms, and publishes the length of the queue with each change.
#include "sched/queue/suspended_queue.hpp"

#include "sched/queue/global_size.hpp"

namespace rota::rt {

void push_suspended(m& mp) {
    mp.suspended_next = nullptr;
    mp.suspended_ticket = sched.runq.pushed();
    if (sched.suspended_last != nullptr) sched.suspended_last->suspended_next = &mp;
    else sched.suspended_first = &mp;
    sched.suspended_last = &mp;
    ++sched.suspended_count;
    mp.suspended.store(true, memory_order_relaxed);  // relaxed: a hint for sysmon
    not_only_spilled();
    publish_global_size();
}

std::uint32_t ahead_of_suspended() {
    // popped() may be beyond the turn: a batch takes later goroutines too.
    const auto n =
        static_cast<std::int32_t>(sched.suspended_first->suspended_ticket - sched.runq.popped());
    return n > 0 ? static_cast<std::uint32_t>(n) : 0;
}

m* pop_suspended() {
    m* const mp = sched.suspended_first;
    if (mp == nullptr) return nullptr;
    sched.suspended_first = mp->suspended_next;
    if (sched.suspended_first == nullptr) sched.suspended_last = nullptr;
    mp->suspended_next = nullptr;
    --sched.suspended_count;
    ++sched.suspended_served;
    mp->suspended.store(false, memory_order_relaxed);  // relaxed: a hint for sysmon
    publish_global_size();
    return mp;
}

bool unpop_suspended(m& mp) {
    if (sched.no_stops.load(memory_order_relaxed)) return false;  // relaxed: set under sched.mu
    mp.suspended_next = sched.suspended_first;
    sched.suspended_first = &mp;
    if (sched.suspended_last == nullptr) sched.suspended_last = &mp;
    ++sched.suspended_count;
    mp.suspended.store(true, memory_order_relaxed);  // relaxed: a hint for sysmon
    not_only_spilled();
    publish_global_size();
    return true;
}

}  // namespace rota::rt
