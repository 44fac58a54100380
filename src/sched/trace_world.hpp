// Generations of the execution trace: each is complete in itself, and begins with the state of
// every goroutine and p. Go: traceAdvance.
#pragma once

#include <cstddef>

#include "trace/stream.hpp"

namespace rota::rt {

// What a generation consists of when it is over.
struct trace_generation {
    trace_list chunks;  // events and the program's strings; the caller releases them
    std::uint32_t number = 0;
    std::int64_t began = 0;  // nanotime
    std::int64_t ended = 0;
    std::int64_t pause = 0;        // ns for which its end has stopped the world
    std::uint64_t goroutines = 0;  // told at the beginning of the next one

    // Whether a reader can follow it.
    bool is_whole() const { return chunks.dropped == 0; }
};

enum class trace_step { begin, go_on, end };

// Ends the running generation, and begins the next one unless the trace ends. `done` is what was
// ended, and empty if the trace begins. False: the process exits, and nothing is done. Stops the
// world meanwhile: for some microseconds, and some 100 ns for each goroutine that there is. Caller:
// a goroutine inside a runtime_entry; one at a time. The m and the p are others afterwards.
bool trace_advance(trace_step step, bool with_stacks, trace_generation& done);

// Whether no trace can be taken in this process, which replays schedules.
bool is_trace_impossible();

}  // namespace rota::rt
