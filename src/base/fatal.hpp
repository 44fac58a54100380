// Ends the process as Go does: `fatal error: TEXT`, goroutine traces, exit status 2.
//
// The lower rooms know neither goroutines nor traces. They call fatal(). The text behind the
// message comes from the crash hook, which boot/ sets to the reporter in diag/.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/annotations.hpp"

namespace rota::rt {

enum class trace_scope : std::uint8_t {
    none,     // the message alone
    current,  // the running goroutine; with GOTRACEBACK also the rest: for panics
    all,      // every goroutine
    waiting,  // every goroutine but the running one or this thread, which is not to blame
};

struct crash_hooks {
    // Lets the first thread through and holds later threads for ever, so that its report comes out
    // whole.
    void (*begin_report)() = nullptr;
    // Prints goroutine traces on stderr. Called after the message.
    void (*print_traces)(trace_scope) = nullptr;
    // The last hook before the process ends. Takes a bounded time.
    void (*before_end)() = nullptr;
};
inline constinit crash_hooks crash;  // set once by boot/, before the first goroutine

// Prints `fatal error: text` and traces, and ends the process with status 2. A `preface`, formatted
// as by printf with one number, comes as a line before it, inside the same report.
[[noreturn]] ROTA_COLD void fatal(const char* text, trace_scope scope = trace_scope::all,
                                  const char* preface = nullptr, std::size_t number = 0);

// Writes the whole text to stderr. A reader that has gone costs the text, never the process: no
// SIGPIPE is left behind.
//
// On a non-blocking pipe or socket it waits for room: 0.1 s for a reader that takes nothing, 1 s in
// total. (O_NONBLOCK holds for every process that shares the pipe; node and docker give such
// pipes.) After a reader has let that time pass, writes do not wait for it until it takes
// something.
void write_error(const char* text, std::size_t size);

// The caller's report ends the process: from now on write_error waits 2 s for a reader that takes
// nothing, and 30 s in total.
void be_patient_with_last_report();

// Writes to stderr without allocating; format as printf with at most 1 KiB of result.
__attribute__((format(printf, 1, 2))) void print_error(const char* format, ...);

}  // namespace rota::rt
