// The end of the process, as Go ends it: `fatal error: TEXT`, goroutine traces, exit status 2.
//
// The lower rooms know neither goroutines nor traces. They call fatal(); what is printed behind the
// message comes from the crash hook, which boot/ sets to the reporter in diag/.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/annotations.hpp"

namespace rota::rt {

enum class trace_scope : std::uint8_t {
    none,     // the message alone
    current,  // the goroutine that runs now, the others if GOTRACEBACK says so: for panics
    all,      // every goroutine
    waiting,  // every goroutine but the one that runs here, or this thread: it is not to blame
};

struct crash_hooks {
    // Lets one thread through and holds all others for ever, so that one report comes out whole.
    void (*begin_report)() = nullptr;
    // Prints goroutine traces on stderr. Called after the message.
    void (*print_traces)(trace_scope) = nullptr;
    // Last of all, before the process ends. Takes a bounded time.
    void (*before_end)() = nullptr;
};
inline constinit crash_hooks crash;  // set once by boot/, before the first goroutine

// Prints `fatal error: text`, traces, and ends the process with status 2. A `preface`, formatted as
// by printf with one number, comes as a line before it, inside the same report.
[[noreturn]] ROTA_COLD void fatal(const char* text, trace_scope scope = trace_scope::all,
                                  const char* preface = nullptr, std::size_t number = 0);

// Writes all of it to stderr. A reader that has gone costs the text, never the process: no SIGPIPE
// is left behind.
//
// Of a pipe or socket that does not block (O_NONBLOCK belongs to all who share it: node and docker
// give such ones) it waits for room: 0.1 s for a reader that takes nothing, 1 s in all. A reader
// that has let that pass is waited for again when it has taken something.
void write_error(const char* text, std::size_t size);

// The caller's report ends the process: from now on write_error waits 2 s for a reader that takes
// nothing, and 30 s in all.
void be_patient_with_last_report();

// Writes to stderr without allocating; format as printf with at most 1 KiB of result.
__attribute__((format(printf, 1, 2))) void print_error(const char* format, ...);

}  // namespace rota::rt
