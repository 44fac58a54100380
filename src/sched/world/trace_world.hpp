// Ends and begins generations of the execution trace. Each generation is complete: it tells
// the state of every goroutine and p before anything happens to it. Go: traceAdvance.
#pragma once

#include <cstddef>

#include "mem/stack.hpp"
#include "trace/stream.hpp"

namespace rota::rt {

// A generation that is over.
struct trace_generation {
    trace_list chunks;  // events and the program's strings; the caller releases them
    std::uint32_t number = 0;
    trace_moment began;
    trace_moment ended;
    bool uses_ticks = false;  // whether the times of its events are ticks
    std::int64_t pause = 0;   // ns for which its end has stopped the world

    // Whether a reader can follow it.
    bool is_whole() const { return chunks.dropped == 0; }
};

enum class trace_step { begin, go_on, end };

// Tells goroutines without an event in the running generation: some slots, from `at` on. Adds to
// `count` how many it has told; takes about ten microseconds. False: these slots were the last.
// Every goroutine must have been told when a generation ends. Caller: as trace_advance.
bool trace_tell_some(stack_place& at, std::uint64_t& count);

// Ends the running generation, and begins the next one unless the trace ends. `done` is the ended
// generation, empty if the trace begins. False: the process exits, and nothing is done. Stops the
// world meanwhile: for some microseconds, and less than one for each thread and p. Caller: a
// goroutine inside a runtime_entry; callers take turns. The m and the p may have changed
// afterwards.
bool trace_advance(trace_step step, bool with_stacks, trace_generation& done);

// Whether no trace can be taken in this process, which replays schedules.
bool is_trace_impossible();

}  // namespace rota::rt
