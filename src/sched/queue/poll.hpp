// Decides when the scheduler polls for ready descriptors, and queues the goroutines that wait for
// them.
//
// Polling happens in these places:
//
// * an m that finds nothing in the queues polls before it steals;
// * the idle m that sleeps in the poller;
// * a busy m polls every 61st tick, unless the last poll is less than poll_gap_ns ago;
// * sysmon polls if no m has polled for 10 ms; where polling is left to a single m
//   (sched/policy/poll_trial), in a round of sysmon after 1 ms.
//
// Ticks may be slow to pass, as goroutines that ready each other share a tick. Once sysmon has
// found that no m polls, it polls every millisecond for a while. While an m sleeps in the poller no
// other thread polls: the kernel wakes that m.
#pragma once

#include <cstdint>

#include "core/sched.hpp"
#include "netpoll/poller.hpp"
#include "sched/base/poll_due.hpp"
#include "sched/base/schedule.hpp"

namespace rota::rt {

// Polls, unless an m sleeps in the poller. Returns the first ready goroutine, and queues the rest
// on self's p. Caller: an m with a p, on g0. Go: netpoll(0) in findRunnable.
[[nodiscard]] found from_netpoll(m& self);

// As from_netpoll, at every 61st tick of an m whose p has other work; queues every ready goroutine.
// Brings more than from_netpoll where that p polls seldom.
void poll_between(m& self) ROTA_EXCLUDES(sched.mu);

// Stores in pp the time and result of a poll by its owner, the caller. Both are hints.
inline void note_found(p& pp, std::int64_t now, const ready_list& ready) {
    pp.last_polled_at.store(now, memory_order_relaxed);                // relaxed: a hint
    pp.last_poll_was_full.store(ready.is_full, memory_order_relaxed);  // relaxed: as above
}

// Queues the goroutines of `ready` on self's p, behind its queue.
void queue_ready(m& self, const ready_list& ready);

// Queues the goroutines of `ready` on the global queue, and wakes an m for them: for a caller
// without a p, or with a p that has much to do. Go: injectglist.
void inject_ready(const ready_list& ready) ROTA_EXCLUDES(sched.mu);

// As inject_ready, at the tail of the global queue: for more than a p can run before its next poll.
void append_ready(m& self, const ready_list& ready) ROTA_EXCLUDES(sched.mu);

// Polls if no thread has polled for `stale` ns. True: it has polled. Caller: sysmon.
bool poll_if_stale(std::int64_t now, std::int64_t stale);

// Whether an m must sleep in the poller when every m is idle: for a timer or a descriptor.
[[nodiscard]] bool is_poller_needed();

}  // namespace rota::rt
