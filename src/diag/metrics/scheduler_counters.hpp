// Adds up the scheduler's counters and states.
#pragma once

#include <cstdint>

namespace rota::rt {

struct scheduler_counters {
    std::uint64_t created, ended, threads_created, parks, steals, stolen, handoffs, syscalls,
        global_gets, wakeups, preemptions, timers_run, lock_wait_ns;
    // States of the moment.
    std::uint64_t goroutines, running, runnable, waiting, not_in_go;
    std::uint64_t gomaxprocs, threads;
    // ns: the time that all ps together could have computed until now; the part when they were
    // idle; the part when they gave memory back to the kernel.
    std::int64_t processor_ns, idle_ns, trim_ns;
};

// Each figure is exact at some moment of the call. Boots the runtime. Takes: sched.mu, inside a
// runtime_entry of its own.
scheduler_counters read_scheduler_counters();

}  // namespace rota::rt
