// Goroutines that wait for descriptors, as the scheduler sees them: when to look, and what becomes
// of those who can go on.
//
// Who looks: an m that finds nothing in the queues, before it steals; the idle m that sleeps in the
// poller; busy ms every 61st tick, unless that was less than poll_gap_ns ago; and sysmon, if nobody
// has for 10 ms, or for one at its own looks where that is left to a single m (sched/alone). Ticks
// may be slow to pass, as goroutines that ready each other share one: once sysmon has found that
// nobody looks, it looks every millisecond, and goes on for a while. While an m sleeps in the
// poller nobody else looks: the kernel wakes that one.
#pragma once

#include <cstdint>

#include "core/sched.hpp"
#include "netpoll/poller.hpp"
#include "sched/schedule.hpp"

namespace rota::rt {

// Sockets need no more attention than this from ms that have other work.
inline constexpr std::int64_t poll_gap_ns = 50'000;
// When sysmon finds that nobody looks, and how often it then does.
inline constexpr std::int64_t poll_stale_ns = 10'000'000, poll_starved_ns = 1'000'000;

// Whether the poller must be asked although pp has other work: read where the tick is a multiple
// of 61. Caller: the owner of pp.
inline bool is_poll_due(const p& pp) {
    // relaxed, both: looked at again
    return net_poller.has_waiters_hint() &&
           pp.poll_tick != pp.sched_tick.load(memory_order_relaxed) &&
           sched.last_poll.load(memory_order_relaxed) != 0;
}

// Whether nobody has looked for a while: for an m that waits beside busy ps.
inline bool is_poll_overdue(std::int64_t now) {
    // relaxed: looked at again
    return net_poller.has_waiters_hint() &&
           now - sched.last_poll.load(memory_order_relaxed) > poll_gap_ns;
}

// Looks, unless somebody sleeps in the poller: returns one who can go on, and queues the others on
// self's p. Caller: an m with a p, on g0. Go: netpoll(0) in findRunnable.
[[nodiscard]] found from_netpoll(m& self);

// As from_netpoll, for an m whose p has other work; every 61st tick, and queues all. Brings more
// than from_netpoll where that p looks seldom.
void poll_between(m& self) ROTA_EXCLUDES(sched.mu);

// Remembers on pp that its owner, who calls, has just looked, and has found that. Both are hints.
inline void note_found(p& pp, std::int64_t now, const ready_list& ready) {
    pp.looked_at.store(now, memory_order_relaxed);            // relaxed: a hint
    pp.left_some.store(ready.is_full, memory_order_relaxed);  // relaxed: as above
}

// Queues all of them on self's p, behind what is there.
void queue_ready(m& self, const ready_list& ready);

// Queues all of them on the global queue, and wakes whom they need: for a caller without a p, or
// with one that has much to do. Go: injectglist.
void inject_ready(const ready_list& ready) ROTA_EXCLUDES(sched.mu);

// The same, behind all who wait there: for more than a p can run before it looks again.
void append_ready(m& self, const ready_list& ready) ROTA_EXCLUDES(sched.mu);

// sysmon: looks if nobody has for `stale` ns. True if it has looked.
bool poll_if_stale(std::int64_t now, std::int64_t stale);

// Whether somebody must sleep in the poller when all ms are idle: for a timer or a descriptor.
[[nodiscard]] bool is_poller_needed();

}  // namespace rota::rt
