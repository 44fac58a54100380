// Chaos mode, GODEBUG=chaos=N: a scheduler that takes every liberty that it has, drawn from the
// seed N.
//
// Programs come to rely on an order that nobody has promised, and races hide behind an order that
// always comes. In chaos mode
//   * what was readied last runs next only half of the time, and queues are stirred;
//   * batches on their way to the global queue are shuffled;
//   * a goroutine that has parked never goes on on the thread that it left;
//   * every operation ends with a yield, one time in eight;
//   * one thread in ten (of those inside run(), three) is starved for 1 ms * 2^k, k = 0 ... 11, for
//     at most a fifth of the time.
// The mode is there in every build and costs nothing when it is off: `sched.through_g0`, which the
// direct switch reads anyway, sends every switch through the m's own stack, whose loop is another
// one then; and `m::preempt` stays set, which every operation reads on its way out. The seed fixes
// what each thread draws; the schedule remains the machine's.
#pragma once

#include <cstdint>

#include "base/rand.hpp"
#include "core/sched.hpp"

namespace rota::rt {

struct chaos_t {
    bool on = false;
    std::uint64_t seed = 0;
};
inline constinit chaos_t chaos;  // fixed at boot, before there is an m

// Boot: from here on all is chaos.
void chaos_begin(std::uint64_t seed);

// The generator of the m with this number.
rng chaos_rng(std::uint64_t m_id);

// schedule_loop in chaos mode.
void chaos_loop(m& self);

// preempt_yield in chaos mode: the end of an operation.
void chaos_leave();

// Shuffles a batch that the calling m moves.
void chaos_shuffle(g** batch, std::uint32_t n);

}  // namespace rota::rt
