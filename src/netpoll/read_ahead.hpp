// Door: reads in the place of waiting goroutines.
//
// A goroutine that waits for bytes leaves an order in its record: buffer and size. The m that finds
// it ready takes it out of its word. Until it makes the goroutine runnable, no other thread knows
// it, so the m may read in its place. The turn to read is the goroutine's, which has not ended: the
// number is not given back meanwhile, and no other call reads.
//
// An m that serves many connections alone (sched/policy/poll_trial) reads for every waiter that one
// poll has brought, one right after another, and they send their answers one right after another.
// So each half of the kernel's path runs while its data is still in the caches. That takes 3 to 7 %
// off a request (docs/network.md).
//
// First the kernel's report is used up in the record, then the call is made. The call finds data
// that comes in between; later data is reported anew. Data once read is never dropped: a deadline
// or a close after the call finds it already made.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rota::rt {

struct ready_list;

// Bytes of an order; its owner makes longer reads. No goroutine runs during the read-ahead, and
// sysmon does not see the waiters. So it stops after this many orders, or this many bytes.
inline constexpr std::size_t read_ahead_max = 16 * 1024;
inline constexpr std::uint32_t read_ahead_at_once = 64;
inline constexpr std::int64_t read_ahead_sum = 64 * 1024;

// Does the orders of the first entries of `ready`. Caller: has taken them out of their words, and
// has not made them runnable yet.
void read_ahead(const ready_list& ready);

}  // namespace rota::rt
