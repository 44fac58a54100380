// Reports facilities that the kernel refuses and the program does without: a line once, a count
// always.
//
// The runtime goes on where the kernel, or a sandbox, refuses it a thread, a system call or a ring.
// Such a program is slower, or its goroutines are not preempted, and nothing in it shows why. So
// each refusal comes through here. The first of a kind writes one line with the reason and the cure
// to stderr, and a metric counts each (rota/metrics.hpp: /rota/refused). A facility that a GODEBUG
// setting switches off is off on purpose and does not come here.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/annotations.hpp"

namespace rota::rt {

enum class shortfall : std::uint8_t {
    membarrier,     // the system call
    preemption,     // the thread that preempts goroutines; asked for again
    threads,        // a thread for goroutines
    ring,           // io_uring, which GODEBUG asks for
    signal_stacks,  // an alternate stack for a thread
    children,       // the system call that starts a program; the caller gets the error, too
    count,
};

// Counts a refusal, and reports the first. `error` is the errno value. Caller: any thread that
// holds no lock of the runtime; never a signal handler. Allocates nothing; may wait for stderr.
ROTA_COLD void note_shortfall(shortfall what, int error);

// How often note_shortfall(what) was called.
std::uint64_t shortfall_count(shortfall what);

}  // namespace rota::rt
