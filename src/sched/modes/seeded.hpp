// GODEBUG=schedseed=N: runs the whole runtime on one thread, in an order drawn from the seed N.
//
// One thread of the runtime's own, the conductor, holds the ps in turn and runs every goroutine.
// Before each step it draws the p, and with it the queue of the next goroutine; an operation ends
// with a yield one time in eight. Time is virtual: it passes by drawn amounts, and leaps to the
// next timer when nothing can run. There is no sysmon, and blocking() blocks every goroutine. So
// the same program with the same seed takes the same steps, which are hashed. When the process
// exits, a line on stderr tells number and hash.
//
// netpoll/simulated.hpp watches descriptors: programs that use pipes and Unix sockets repeat
// themselves too.
//
// Not repeated: the effects of foreign threads on goroutines, and input from outside, by the
// network or from another process. A thread inside run() does nothing meanwhile. Between two run()s
// nothing runs unless a foreign thread has used rota outside run().
//
// Cost when off: one load in nanotime(), and the bits that chaos mode reads as well.
#pragma once

#include <cstdint>

#include "sched/base/modes.hpp"

namespace rota::rt {

// seeded_begin fixes the mode; seeded_start starts the conductor after procresize. Caller: boot.
void seeded_begin(std::uint64_t seed);
void seeded_start();

// Waits until the conductor rests after the last run(), then begins anew with another seed: clock,
// goroutine numbers, generators. For tests that try many seeds in one process; nothing may be left
// of the last run.
void seeded_restart(std::uint64_t seed);

// Prints the line on stderr, if the mode is on.
void seeded_report();

}  // namespace rota::rt
