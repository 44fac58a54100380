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

#include "base/rand.hpp"
#include "core/sched.hpp"

namespace rota::rt {

struct seeded_t {
    bool on = false;         // fixed at boot
    std::uint64_t seed = 0;  // of the steps that come; changed between runs
    int held = 0;  // no yields while above 0; written by the conductor, see own_thread.hpp
    atomic<std::int32_t> runs{0};  // run() calls in progress
    // Written by the conductor; other threads read it while the conductor rests:
    // pairs(seeded.rest).
    atomic<std::uint64_t> steps{0};
    atomic<std::uint64_t> hash{0};
};
inline constinit seeded_t seeded;

// seeded_begin fixes the mode; seeded_start starts the conductor after procresize. Caller: boot.
void seeded_begin(std::uint64_t seed);
void seeded_start();

// The generator of the m with this number.
rng seeded_rng(std::uint64_t m_id);

// schedule_loop of the conductor.
void seeded_loop(m& self);

// Ends an operation: preempt_yield in this mode.
void seeded_leave();

// seeded_run waits, on the thread of a run() whose main goroutine is queued, until that has ended.
// seeded_run_over says that it has ended.
void seeded_run(m& self, const run_record& record) ROTA_EXCLUDES(sched.mu);
void seeded_run_over(m& home) ROTA_REQUIRES(sched.mu);

// change_proc_count in this mode: only the conductor has to stop for it.
std::int32_t seeded_set_proc_count(std::int32_t n);

// Notes that a thread of the program's own has used rota outside run() for the first time.
void seeded_thread_comes();

// Waits until the conductor rests after the last run(), then begins anew with another seed: clock,
// goroutine numbers, generators. For tests that try many seeds in one process; nothing may be left
// of the last run.
void seeded_restart(std::uint64_t seed);

// Prints the line on stderr, if the mode is on.
void seeded_report();

}  // namespace rota::rt
