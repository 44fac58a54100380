// Implements chaos mode, GODEBUG=chaos=N: a scheduler that takes every liberty that its rules leave
// it, drawn from the seed N.
//
// Programs come to rely on an order that is not guaranteed, and an order that always comes hides
// races. In chaos mode
//   * the goroutine readied last runs next only half of the time, and queues are shuffled;
//   * batches on their way to the global queue are shuffled;
//   * a goroutine that has parked never goes on on the thread that it left;
//   * every operation ends with a yield, one time in eight;
//   * one thread in ten (of the threads inside run(), three) is starved for 1 ms * 2^k,
//     k = 0 ... 11, for at most a fifth of the time.
// The mode is there in every build, and costs nothing when it is off.
// `sched.direct_switch_blockers`, which the direct switch reads anyway, sends every switch through
// the m's own stack, to a different loop. And `m::preempt`, which every operation reads on its way
// out, stays set. The seed fixes the draws of each thread; the schedule remains the machine's.
#pragma once

#include <cstdint>

#include "sched/base/modes.hpp"

namespace rota::rt {

// Turns chaos mode on. Caller: boot.
void chaos_begin(std::uint64_t seed);

}  // namespace rota::rt
