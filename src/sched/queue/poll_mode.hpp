// Answers whether goroutines that the network readies are left to the one m that polls
// (sched/policy/poll_trial, which decides that).
#pragma once

#include <cstdint>

#include "base/annotations.hpp"
#include "core/sched.hpp"

namespace rota::rt {

// ns: the longest time between two looks of sysmon at the goroutines that are left to one m
inline constexpr std::int64_t rest_look_ns = 4'000'000;

// Whether network work is left to one m: the mode `single`. relaxed: sysmon is the writer. A late
// reader is found by the m that sysmon wakes, or polls too.
[[nodiscard]] inline bool is_single_poller() {
    return sched.single_poller.load(memory_order_relaxed);
}

// Whether the goroutines that the network readied, in the ring of pp or in the global queue, are
// left to the owner of pp, so that no m is woken. Caller: the owner of pp.
[[nodiscard]] bool keeps_ready_local(const p& pp);

// Whether another p runs whose m polled within the last millisecond, and later than the m of pp.
[[nodiscard]] bool another_m_polls(const p& pp);

// Whether self, which has run out of work, may give up its p although that other p has work in
// hand: no waker has called self, and no timer of its p is due soon.
[[nodiscard]] bool may_idle(const m& self);

// Whether an m without a p need not sleep in the poller: another m has a p, and polls.
[[nodiscard]] bool has_busy_poller() ROTA_EXCLUDES(sched.mu);

}  // namespace rota::rt
