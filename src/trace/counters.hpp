// What the scheduler counts. Every room may add; only diag/ reads.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "trace/time_histogram.hpp"

namespace rota::rt {

using counter = atomic<std::uint64_t>;

// Per p. Owner: the m that holds the p. Anyone reads.
struct p_counters {
    counter created;  // goroutines
    counter ended;
    counter parks;
    counter steals;       // successful raids on another p
    counter stolen;       // goroutines taken in them
    counter global_gets;  // batches taken from the global queue
    counter syscalls;     // entersyscall
    counter preemptions;  // time slices ended by request
    counter timers_run;
    counter polled;        // descriptors that have become ready, as the kernel has told
    counter lock_wait_ns;  // in mutexes and shared mutexes
};

// What happens without a p. Anyone adds.
struct shared_counters {
    counter created;       // by foreign threads
    counter syscalls;      // entersyscall by an m without a p
    counter handoffs;      // ps taken from blocked system calls
    counter wakeups;       // idle threads woken
    counter threads;       // ever started
    counter lock_wait_ns;  // as above
    counter stack_bytes;   // of the kernel's threads that run goroutines, and of sysmon
};
inline constinit shared_counters shared_counts;

// From runnable to running, of one goroutine in so many.
inline constinit time_histogram sched_latency;

}  // namespace rota::rt
