// Sends SIGPROF by the processor time of threads: the signal that a CPU profile samples by.
//
// Every thread has a timer that counts the time it spends on a processor. So a sleeping thread is
// not disturbed, and two computing threads are sampled twice as often as a single thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>

#include "arch/context.hpp"

namespace rota::rt {

// Installs for good a `handler` that is called for signals of our timers, with errno kept and every
// other signal but faults blocked. A SIGPROF from another source goes to the handler that was there
// before, or is ignored: a signal under way when a profile ends must not end the process. Call it
// once.
void on_profile_signal(void (*handler)(const gobuf& interrupted));

struct profile_timer {
    int tid = 0;
    timer_t timer{};
    bool seen = false;
};

// Samples the thread every `period_ns` of its processor time. False: the thread has ended.
[[nodiscard]] bool profile_timer_start(profile_timer& t, int tid, std::int64_t period_ns,
                                       std::int64_t first_ns);
void profile_timer_stop(profile_timer& t);

// Calls visit(arg, tid) for each thread of the process. Allocates.
void for_each_thread(void (*visit)(void* arg, int tid), void* arg);

// Reads memory of this process that may not be mapped. False: it is not mapped. Makes a system
// call; signal handlers may call it.
[[nodiscard]] bool try_read(const void* from, void* to, std::size_t size);

}  // namespace rota::rt
