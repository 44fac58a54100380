// Stopping all other threads of the process where they are, so that one can look at all memory and
// miss nothing that stands in a register: those lie on the threads' stacks meanwhile.
//
// Each gets the signal by which the runtime stops threads anyway, and waits in its handler. A
// system call that is under way is interrupted: the kernel begins it anew after that (SA_RESTART),
// or, as epoll_wait, poll and nanosleep do whatever handler has run, it returns with EINTR.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arch/context.hpp"

namespace rota::rt {

struct held_thread {
    int tid = 0;
    std::uintptr_t sp = 0;     // where the signal has interrupted it
    std::uintptr_t frame = 0;  // of the handler, below which nothing of the program's lies
};

// Where those that are held are noted; the caller's. All may be zero at first.
struct held_threads {
    held_thread* threads;
    std::size_t capacity;
    std::size_t count = 0;
};

enum class hold_result : unsigned char {
    held,
    deaf,        // one of them blocks the signal
    late,        // one did not come in time: it has no processor, a debugger has it, ...
    impossible,  // there is no signal, no list of threads, or there are too many
};

// Holds all threads but the caller, those that exempt(tid) says do no harm, and those that end
// meanwhile; waits for them up to `limit_ns`. Unless all are held, nobody is. Takes no lock and
// allocates nothing; while others are held, who holds them must not either: one of them may be
// inside malloc. For the same reason no signal comes to the caller meanwhile. One at a time.
[[nodiscard]] hold_result hold_other_threads(held_threads& held, bool (*exempt)(int tid),
                                             std::int64_t limit_ns);
void let_other_threads_go();

// After that, and after a hold that did not succeed: waits until none of them is in the handler any
// more, and looks at held.threads.
void await_others_gone();

// In the child of a fork, which has been made while another thread held this one, or was about to.
void forget_who_is_held();

// For the handler of the stop signal: waits while threads are held, but for who holds them. Twice:
// when it begins, and before it ends, for threads that were exempt since they slept in it.
void wait_if_held(const gobuf& interrupted);

}  // namespace rota::rt
