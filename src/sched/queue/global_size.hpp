// Keeps what submitters and searchers read of the global queue without its lock: its length, and
// whether a single p has filled it.
#pragma once

#include "base/annotations.hpp"
#include "core/sched.hpp"

namespace rota::rt {

// Publishes the length of the queue, after it or the line of suspended ms has changed.
inline void publish_global_size() ROTA_REQUIRES(sched.mu) {
    sched.runq_size.store(sched.runq.size() + sched.urgent.size() + sched.suspended_count,
                          memory_order_release);  // pairs(runq.global)
}

// Notes that a goroutine stands in the global queue that no full ring has spilled.
inline void not_only_spilled() ROTA_REQUIRES(sched.mu) {
    sched.spiller.store(nullptr, memory_order_relaxed);  // relaxed: a hint
}

inline bool global_has_work() {
    return sched.runq_size.load(memory_order_acquire) != 0;  // pairs(runq.global)
}

}  // namespace rota::rt
