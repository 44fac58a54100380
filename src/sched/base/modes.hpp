// Declares what the scheduler reads, and calls, of the two modes for tests: chaos mode
// (sched/modes/chaos) and repeatable runs (sched/modes/seeded). Each is off unless GODEBUG asks for
// it.
#pragma once

#include <cstdint>

#include "base/rand.hpp"
#include "core/sched.hpp"

namespace rota::rt {

// --- chaos mode

struct chaos_t {
    bool on = false;
    std::uint64_t seed = 0;
};
inline constinit chaos_t chaos;  // fixed at boot, before there is an m

// The random generator of the m with this number.
rng chaos_rng(std::uint64_t m_id);

// schedule_loop in chaos mode.
void chaos_loop(m& self);

// preempt_yield in chaos mode: the end of an operation.
void chaos_leave();

// Shuffles a batch that the calling m moves.
void chaos_shuffle(g** batch, std::uint32_t n);

// --- repeatable runs

struct seeded_t {
    bool on = false;         // fixed at boot
    std::uint64_t seed = 0;  // of the steps that come; changed between runs
    // no yields while above 0; written by the conductor, see sched/thread/os_thread_call
    int held = 0;
    atomic<std::int32_t> runs{0};  // run() calls in progress
    // Written by the conductor; other threads read it while the conductor rests:
    // pairs(seeded.rest).
    atomic<std::uint64_t> steps{0};
    atomic<std::uint64_t> hash{0};
};
inline constinit seeded_t seeded;

// The generator of the m with this number.
rng seeded_rng(std::uint64_t m_id);

// schedule_loop of the conductor.
void seeded_loop(m& self);

// Ends an operation: preempt_yield in this mode.
void seeded_leave();

// seeded_run waits, on the thread of a run() whose main goroutine is queued, until that has ended.
// seeded_run_over says that it has ended.
void seeded_run(m& self, const run_record& record) ROTA_EXCLUDES(sched.mu);
void seeded_run_over(m& main_m) ROTA_REQUIRES(sched.mu);

// change_proc_count in this mode: only the conductor has to stop for it.
std::int32_t seeded_set_proc_count(std::int32_t n);

// Notes that a thread of the program's own has used rota outside run() for the first time.
void seeded_note_thread();

}  // namespace rota::rt
