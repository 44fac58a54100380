// Keeps standby ms for ps that sysmon takes from goroutines which neither yield nor return
// (sched/monitor/preempt_watch).
//
// A p is taken only when its next m is certain, and set aside for it: an m off the idle list, or
// the first stopped m in line. Ms for that are ordered ahead. rota wants them, not the program, so
// they do not count against its limit of threads (set_max_threads). Where the kernel grants no
// more, the p stays where it is.
//
//     the program's limit reached       standby ms are made all the same: until 1,024 are stopped
//                                       for goroutines that compute, otherwise one for each p. If
//                                       they serve its calls until these hold more ms than it may
//                                       have, and none ends for half a second, it is reported: as
//                                       long as there are more, sysmon looks
//     1,024 stopped                     no goroutine begins, but one in 100 ms; the goroutines that
//                                       have begun get standby ms within the program's limit
//     the kernel's limit reached, or    the last idle m begins no goroutine, and so comes
//     its answer still to come          back; asked again once a second
//     no m left, neither idle nor to    the first in line gets the p, and its former goroutine goes
//     be made                           into the line; nobody in line: the p stays
#pragma once

#include <cstdint>

#include "base/annotations.hpp"
#include "core/sched.hpp"

namespace rota::rt {

// The reason to take a p.
enum class standby_for : std::uint8_t { computes, blocked };

// Announces that sysmon will take a p: the m that will be without one, and the next m while it is
// set aside, do not count against the program's limit.
void count_retaken_m(standby_for why) ROTA_EXCLUDES(sched.mu);

// Orders one more m for the idle list, if too few sleep there and the limits allow it. Caller:
// sysmon, with `now` before it takes a p, otherwise `soon`: the last m may wait for some
// milliseconds.
enum class standby_need : std::uint8_t { now, soon };
void order_standby_m(standby_for why, standby_need need, std::int64_t now) ROTA_EXCLUDES(sched.mu);

// Orders more ms for the idle list: a quarter as many as there are, 16 at most, within the
// program's limit. So a program whose calls block by the hundred does not wait for a new thread at
// each of them. Caller: any thread inside the runtime that has just used the last idle m.
void order_standbys_ahead() ROTA_EXCLUDES(sched.mu);

// Whether an m sleeps in the poller that has no p to itself. Where a p is idle, the poller belongs
// to that p.
[[nodiscard]] bool is_poller_free() ROTA_REQUIRES(sched.mu);

// Ms that have nothing to do: the idle ms, and the m in the poller if no p is idle.
[[nodiscard]] std::int32_t free_ms() ROTA_REQUIRES(sched.mu);

// Number of ms that goroutines keep, in blocking calls and by lock_os_thread; a lower bound.
[[nodiscard]] std::int32_t kept_ms() ROTA_REQUIRES(sched.mu);

// Whether an ordered m will be idle in a moment.
[[nodiscard]] bool does_an_order_come(std::int64_t now) ROTA_REQUIRES(sched.mu);

// A beginning goroutine may take the first m, and the last m serves the goroutines that have begun.
inline constexpr std::int32_t to_begin_at = 2;

// Whether no goroutine may begin: it may compute for long and so take an m, and the last m serves
// the goroutines that have begun. That m is idle now; once it is taken, note_last_m holds back
// goroutines that have not begun.
[[nodiscard]] bool is_short_of_ms() ROTA_REQUIRES(sched.mu);

}  // namespace rota::rt
