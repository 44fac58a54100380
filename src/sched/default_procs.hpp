// How many processors a program gets that does not ask for a number: as many as its affinity mask
// has and the quotas of its control groups pay for.
//
// Without the quota a program in a small container on a large machine would run dozens of threads
// for a few milliseconds and then be held back as a whole until the period is over. A fraction is
// rounded down, and half a processor is one, as automaxprocs does; GODEBUG=cgroupceil=1 rounds up,
// to at least 2, as Go does since 1.25: less waiting for the quota's rest, more time held back.
#pragma once

#include <cstdint>

#include "sys/cgroup.hpp"

namespace rota::rt {

// Boot: says how to round.
void round_quotas_up(bool up);

// The number as it is now, from 1 to procs_max, by the mask of the given thread (0: the caller's).
// Reads some files; takes no lock and allocates nothing. Caller: one at a time.
[[nodiscard]] std::int32_t default_procs(int thread_id);

// What the quota of this process's group has cost; false if it has none. Caller: as default_procs.
[[nodiscard]] bool read_throttling(cpu_throttling& out);

}  // namespace rota::rt
