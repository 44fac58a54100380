// Stops every other thread of the process where it is, so that the holder can read the whole
// memory. Registers are not missed: they lie on the threads' stacks meanwhile.
//
// Each thread gets the signal by which the runtime stops threads, and waits in its handler. The
// signal interrupts a system call that is under way. The kernel begins it anew (SA_RESTART), or it
// returns with EINTR, as epoll_wait, poll and nanosleep do whatever handler has run.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arch/context.hpp"

namespace rota::rt {

struct held_thread {
    int tid = 0;
    std::uintptr_t sp = 0;     // where the signal interrupted it
    std::uintptr_t frame = 0;  // of the handler; no program data lies below it
};

// The caller's room for the held threads. The entries may be zero at first.
struct held_threads {
    held_thread* threads;
    std::size_t capacity;
    std::size_t count = 0;
};

enum class hold_result : unsigned char {
    held,
    deaf,        // a thread blocks the signal
    late,        // a thread did not come in time: no processor, a debugger has it, ...
    impossible,  // there is no signal, no list of threads, or there are too many threads
};

// Holds every thread except the caller, the threads that exempt(tid) declares harmless, and the
// threads that end meanwhile. Waits up to `limit_ns`. Unless it can hold them together, it holds
// none. Takes no lock and allocates nothing. The holder must not either until it lets go: a held
// thread may be inside malloc. For the same reason no signal comes to the holder meanwhile. One
// hold at a time.
[[nodiscard]] hold_result hold_other_threads(held_threads& held, bool (*exempt)(int tid),
                                             std::int64_t limit_ns);
void let_other_threads_go();

// After let_other_threads_go(), and after a hold that failed: waits until no thread is in the
// handler and reads held.threads.
void await_others_gone();

// Caller: the child of a fork that was made while another thread held this one, or was about to.
void forget_who_is_held();

// For the handler of the stop signal: waits while threads are held, except in the holder. The
// handler calls it twice: at its beginning, and at its end, for threads that were exempt because
// they slept in it.
void wait_if_held(const gobuf& interrupted);

}  // namespace rota::rt
