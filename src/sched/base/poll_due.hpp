// Says when the poller must be asked, and what that costs a busy p: a load or two.
#pragma once

#include <cstdint>

#include "core/sched.hpp"
#include "netpoll/poller.hpp"

namespace rota::rt {

// Minimum ns between two polls by ms that have other work: sockets need no more attention.
inline constexpr std::int64_t poll_gap_ns = 50'000;
// ns without a poll after which sysmon polls, and ns between its polls after that.
inline constexpr std::int64_t poll_stale_ns = 10'000'000, poll_starved_ns = 1'000'000;

// Whether the poller must be asked although pp has other work: read where the tick is a multiple of
// 61. Caller: the owner of pp.
inline bool is_poll_due(const p& pp) {
    // relaxed, both: looked at again
    return net_poller.has_waiters_hint() &&
           pp.poll_tick != pp.sched_tick.load(memory_order_relaxed) &&
           sched.last_poll.load(memory_order_relaxed) != 0;
}

// Whether the last poll is more than poll_gap_ns ago: for an m that waits beside busy ps.
inline bool is_poll_overdue(std::int64_t now) {
    // relaxed: looked at again
    return net_poller.has_waiters_hint() &&
           now - sched.last_poll.load(memory_order_relaxed) > poll_gap_ns;
}

}  // namespace rota::rt
