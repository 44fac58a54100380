// SIGPROF by the processor time of threads: what a CPU profile samples.
//
// Every thread has a timer of its own that counts the time it spends on a processor, so a thread
// that sleeps is not disturbed, and two that compute are sampled twice as often as one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>

#include "arch/context.hpp"

namespace rota::rt {

// From now on and for good, `handler` is called for signals of our timers, with all other signals
// but faults held back and errno kept. SIGPROF of others goes to the handler that was there before,
// or is ignored: one that is under way when a profile ends must not end the process. Once.
void on_profile_signal(void (*handler)(const gobuf& interrupted));

struct profile_timer {
    int tid = 0;
    timer_t timer{};
    bool seen = false;
};

// Has the thread sampled every `period_ns` of its processor time. False: it has ended.
[[nodiscard]] bool profile_timer_start(profile_timer& t, int tid, std::int64_t period_ns,
                                       std::int64_t first_ns);
void profile_timer_stop(profile_timer& t);

// Calls visit(arg, tid) for each thread of the process. Allocates.
void for_each_thread(void (*visit)(void* arg, int tid), void* arg);

// Reads memory of this process that may not be there. False: it is not. A system call; for signal
// handlers too.
[[nodiscard]] bool try_read(const void* from, void* to, std::size_t size);

}  // namespace rota::rt
