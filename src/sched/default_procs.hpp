// How many processors a program gets that does not ask for a number: as many as its affinity mask
// has and the quotas of its control groups pay for.
//
// Without the quota a program in a small container on a large machine would run dozens of threads
// for a few milliseconds and then be held back as a whole until the period is over. A fraction is
// rounded down, and half a processor is one, as automaxprocs does; GODEBUG=cgroupceil=1 rounds up,
// to at least 2, as Go does since 1.25: less waiting for the quota's rest, more time held back.
//
// Both may change while the program runs. sysmon looks twice a second while it is awake, and who
// asks for the number looks if sysmon has slept. sysmon must not stop the world itself: those who
// are asked to stop may need it. It starts a timer, and the goroutine that this one makes does it.
// What stops the world keeps the world's lock, under which following is switched on and off, so
// that a number which the program has fixed stays. Go: sysmonUpdateGOMAXPROCS,
// updateMaxProcsGoroutine.
#pragma once

#include <cstdint>
#include <string_view>

#include "sys/cgroup.hpp"

namespace rota::rt {

// Boot: says how to round, and, if the environment has fixed nothing, that limits are followed.
void limits_init(bool round_up, bool follow);

// The number as it is now, from 1 to procs_max. Reads some files; allocates nothing. Caller: not a
// goroutine outside the runtime, where it may be stopped: others wait for their turn to read.
[[nodiscard]] std::int32_t default_procs();

// gomaxprocs(n): n processors from now on, whatever the limits become; returns the number of
// before. Any goroutine or thread, inside a runtime_entry; parks; the m and the p are others
// afterwards.
std::int32_t fix_proc_count(std::int32_t n);

// As if the program had just been started: `from_environment` processors, or, if that is 0, the
// default and following. Caller as above.
void set_default_proc_count(std::int32_t from_environment);

// The number for who asks: if the limits are followed and nobody has looked for long, looks. In a
// thread of the program's own a change comes a little later. Caller: in user code; as above.
[[nodiscard]] std::int32_t current_proc_count();

// sysmon's round.
void look_at_limits(std::int64_t now);

// What the quota of this process's group has cost; false if it has none, or somebody else is
// reading.
[[nodiscard]] bool read_throttling(cpu_throttling& out);

// For tests: files are looked for below `root`, which lives for ever, from now on.
void read_limits_below(std::string_view root);

}  // namespace rota::rt
