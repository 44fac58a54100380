// What the kernel refuses, and the program does without: said once, counted always.
//
// The runtime goes on where the kernel, or what confines the process, refuses it a thread, a system
// call or a ring. Such a program is slower, or its goroutines are not preempted, and nothing in it
// shows why. So each refusal comes through here: the first of a kind writes one line with the
// reason and the cure to stderr, and a metric counts all of them (rota/metrics.hpp: /rota/refused).
// What a GODEBUG setting switches off is on purpose and does not come here.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/annotations.hpp"

namespace rota::rt {

enum class shortfall : std::uint8_t {
    membarrier,     // the system call
    preemption,     // the thread without which no goroutine is preempted; asked for again
    threads,        // a thread for goroutines
    ring,           // io_uring, which GODEBUG asks for
    signal_stacks,  // an alternate stack for a thread
    count,
};

// Counts, and says it the first time. `error` is the errno value. Any thread that holds no lock of
// the runtime; never in a signal's handler. Allocates nothing; may wait for stderr.
ROTA_COLD void note_shortfall(shortfall what, int error);

// How often that was.
std::uint64_t shortfall_count(shortfall what);

}  // namespace rota::rt
