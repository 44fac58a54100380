// Computes how many processors a program gets if it does not ask for a number: as many as its
// affinity mask has and the quotas of its control groups pay for.
//
// Without the quota, a program in a small container on a large machine would run dozens of threads
// for a few milliseconds, and then be held back as a whole until the period is over. A fraction is
// rounded down, and half a processor is one, as automaxprocs does. GODEBUG=cgroupceil=1 rounds up,
// to at least 2, as Go does since 1.25. Price: the program waits less for the rest of its quota,
// and is held back for more time.
//
// Mask and quota may change while the program runs. sysmon looks twice a second while it is awake.
// A caller that asks for the number looks itself if sysmon has slept. sysmon must not stop the
// world itself, because the ms that are asked to stop may need sysmon. So it starts a timer, which
// begins a goroutine that does it. A goroutine that stops the world holds the world's lock.
// Following is switched on and off under that lock, so that a number that the program has fixed
// stays. Go: sysmonUpdateGOMAXPROCS, updateMaxProcsGoroutine.
#pragma once

#include <cstdint>
#include <string_view>

#include "sys/proc/cgroup.hpp"

namespace rota::rt {

// Fixes how to round, and whether limits are followed: they are if the environment has fixed no
// number. Caller: boot.
void limits_init(bool round_up, bool follow);

// The number at this moment, from 1 to procs_max. Reads some files; allocates nothing. Caller: not
// a goroutine outside the runtime: it may be stopped there while other readers wait for their turn.
[[nodiscard]] std::int32_t default_procs();

// gomaxprocs(n): sets n processors, whatever the limits become; returns the number before. Caller:
// any goroutine or thread, inside a runtime_entry. Parks; the m and the p may have changed
// afterwards.
std::int32_t fix_proc_count(std::int32_t n);

// Sets the number as if the program had just been started: `from_environment` processors, or, if
// that is 0, the default number, and follows the limits. Caller as above.
void set_default_proc_count(std::int32_t from_environment);

// The number of processors. Looks at the limits first if they are followed and no thread has looked
// for long. In a foreign thread a change comes a little later. Caller: in user code; as above.
[[nodiscard]] std::int32_t current_proc_count();

// Looks at the limits if that is due. Caller: sysmon, each round.
void look_at_limits(std::int64_t now);

// Reads the price of the quota of this process's group; false if there is none, or another thread
// is reading.
[[nodiscard]] bool read_throttling(cpu_throttling& out);

// For tests: from now on files are looked for below `root`, which lives for ever.
void read_limits_below(std::string_view root);

}  // namespace rota::rt
