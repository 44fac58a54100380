// Holds the state of the execution trace: whether it runs, its generation, and the streams that
// belong to no m. sched/record/trace_events says who writes what.
#pragma once

#include <cstdint>

#include "base/annotations.hpp"
#include "sys/thread/lock.hpp"
#include "trace/stream.hpp"

namespace rota::rt {

struct trace_t {
    // --- written with the world stopped and mu held; a holder of a p or mu sees no change -------
    alignas(cache_line) std::uint32_t on = 0;  // __atomic, relaxed: see is_traced
    std::uint32_t generation = 0;
    std::uint32_t first = 0;  // of this trace
    std::uint32_t epoch = 0;  // how many traces there have been
    bool stacks = false;      // whether events carry stacks

    // --- written by the thread that has stopped the world -----------------------------------
    bool stop_is_told = false;

    alignas(cache_line) lock mu{lock_rank::trace};
    trace_stream outside ROTA_GUARDED_BY(mu);  // of sysmon

    // --- written by the goroutine that serves the trace: states, told by no thread ----------
    trace_stream nobody{.is_unlimited = true};
};
inline constinit trace_t trace_log;

// No rota::atomic: it changes with the world stopped, and would be a choice to the explorer of
// schedules at every look.
ROTA_ALWAYS_INLINE bool is_traced() {
    return ROTA_UNLIKELY(__atomic_load_n(&trace_log.on, __ATOMIC_RELAXED) != 0);
}

}  // namespace rota::rt
