// Door: reading for those who wait.
//
// A goroutine that waits for bytes leaves an order with its record: where to, how many. Who finds
// that it can go on, and takes it out of its word, is then the only one who knows it, until it is
// made runnable; so he may read in its stead. The turn to read is the goroutine's, which has not
// ended: the number is not given back meanwhile, and nobody else reads.
//
// Where one m serves many connections (sched/alone) it reads for all that one look has brought, one
// right behind the other, and they send their answers one right behind the other: each half of the
// kernel's way is run while what it needs is still in the caches. That takes 3 to 7 % off a request
// (docs/network.md).
//
// First the record is told that what the kernel has said is used up, then the call is made: what
// comes between is found by the call, what comes behind is told anew. What has been read is never
// dropped: a deadline that passes, or a close that comes, behind the call finds it already made.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rota::rt {

struct ready_list;

// Longer ones are read by their owners. Nobody runs meanwhile, and nobody sees those who wait: the
// rest is left as well when so many have been read for, or so much has come.
inline constexpr std::size_t read_ahead_max = 16 * 1024;
inline constexpr std::uint32_t read_ahead_at_once = 64;
inline constexpr std::int64_t read_ahead_sum = 64 * 1024;

// Does what the first ones of `ready` have ordered. Caller: has taken them out of their words, and
// has not made them runnable yet.
void read_ahead(const ready_list& ready);

}  // namespace rota::rt
