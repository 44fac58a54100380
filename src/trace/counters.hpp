// Declares the counters of the scheduler. Every room may add to them; only diag/ reads them.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "trace/time_histogram.hpp"

namespace rota::rt {

using counter = atomic<std::uint64_t>;

// Per p. Writer: the m that holds the p. Any thread may read.
struct p_counters {
    counter created;  // goroutines
    counter ended;
    counter parks;
    counter steals;       // successful steals from another p
    counter stolen;       // goroutines taken by those steals
    counter global_gets;  // batches taken from the global queue
    counter syscalls;     // entersyscall
    counter preemptions;  // time slices ended by request
    counter timers_run;
    counter polled;        // descriptors that the kernel has reported ready
    counter lock_wait_ns;  // ns, waiting for mutexes and shared mutexes
};

// Events without a p. Any thread adds.
struct shared_counters {
    counter created;       // by foreign threads
    counter syscalls;      // entersyscall by an m without a p
    counter handoffs;      // ps taken from blocked system calls
    counter wakeups;       // idle threads woken by a waker
    counter threads;       // threads ever started
    counter lock_wait_ns;  // ns, waiting for mutexes and shared mutexes
    counter stack_bytes;   // bytes; stacks of the kernel threads that run goroutines, and of sysmon
};
inline constinit shared_counters shared_counts;

// ns from runnable to running, sampled from a fraction of the goroutines.
inline constinit time_histogram sched_latency;

}  // namespace rota::rt
