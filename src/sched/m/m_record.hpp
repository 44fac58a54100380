// Keeps the records of ms, and counts the ms against the limit of the program (set_max_threads).
#pragma once

#include <cstdint>

#include "base/annotations.hpp"
#include "core/sched.hpp"

namespace rota::rt {

// Forgets that there was no m for a p (sched.m_missed_since): no work waits for an m. Caller:
// sysmon.
void forget_missed_ms() ROTA_EXCLUDES(sched.mu);

// Takes mp, which has not begun, off sched.starting_ms: it has a p no longer.
void unlist_starting_m(m& mp) ROTA_REQUIRES(sched.mu);

// For the makers of ms: a new record, listed in sched.allm; the record of an m that has ended, or
// a new one; and the way back of a record whose m ends or cannot begin.
[[nodiscard]] m& new_m_record() ROTA_REQUIRES(sched.mu);
[[nodiscard]] m& any_m_record() ROTA_REQUIRES(sched.mu);
void discount_m(m& mp) ROTA_REQUIRES(sched.mu);
// Count an m, and check the count: more ms than the limit end the process, which alone releases
// sched.mu. Both require sched.mu.
void count_m() ROTA_NO_TSA;        // requires sched.mu
void check_m_count() ROTA_NO_TSA;  // requires sched.mu
[[noreturn]] void report_exhaustion(std::int32_t limit);

// Whether to wait for an m because the limit allows no further m: an m may be on its way to the
// idle list at any moment. The wait is short: if every m blocks for ever, that is the program's
// mistake.
[[nodiscard]] bool is_an_m_on_its_way() ROTA_REQUIRES(sched.mu);

}  // namespace rota::rt
