// Generations of the execution trace: each is complete in itself, and tells the state of every
// goroutine and p before anything happens to it. Go: traceAdvance.
#pragma once

#include <cstddef>

#include "mem/stack.hpp"
#include "trace/stream.hpp"

namespace rota::rt {

// What a generation consists of when it is over.
struct trace_generation {
    trace_list chunks;  // events and the program's strings; the caller releases them
    std::uint32_t number = 0;
    trace_moment began;
    trace_moment ended;
    bool uses_ticks = false;  // what its events' times are
    std::int64_t pause = 0;   // ns for which its end has stopped the world

    // Whether a reader can follow it.
    bool is_whole() const { return chunks.dropped == 0; }
};

enum class trace_step { begin, go_on, end };

// Tells goroutines about which nothing has happened in the running generation: some, from `at` on.
// False: those were the last. All must have been told when a generation ends. Some ten
// microseconds; adds how many it has told. Caller: as below.
bool trace_tell_some(stack_place& at, std::uint64_t& count);

// Ends the running generation, and begins the next one unless the trace ends. `done` is what was
// ended, and empty if the trace begins. False: the process exits, and nothing is done. Stops the
// world meanwhile: for some microseconds, and less than one for each thread and p. Caller: a
// goroutine inside a runtime_entry; one at a time. The m and the p are others afterwards.
bool trace_advance(trace_step step, bool with_stacks, trace_generation& done);

// Whether no trace can be taken in this process, which replays schedules.
bool is_trace_impossible();

}  // namespace rota::rt
