// What the kernel says of another thread, and the calling thread's signals as the kernel counts
// them.
#pragma once

#include <cstdint>

#include "sys/thread.hpp"

namespace rota::rt {

enum class thread_ears : unsigned char {
    open,   // a signal comes to it as soon as it has a processor, or the kernel lets it
    deaf,   // it sleeps, and blocks that signal
    busy,   // it blocks that signal and does not sleep: it may only just have begun
    ended,  // there is no such thread, or it is but a number that has not been given back
};

// From /proc/self/task/TID/status. No lock, no allocation, no descriptor kept.
thread_ears thread_hears(int tid, int signal);

// A thread that sleeps in the kernel: where its own code is, and how often the kernel has taken it
// from a processor, which grows when it sleeps again.
struct sleeping_thread {
    std::uintptr_t sp = 0, pc = 0;
    std::uint64_t switches = 0;
};

// False: it does not sleep, or the kernel does not tell. No lock, no allocation, no descriptor
// kept.
[[nodiscard]] bool find_sleeping(int tid, sleeping_thread& found);
// Whether it sleeps still, and has not run since then.
[[nodiscard]] bool sleeps_still(int tid, const sleeping_thread& since);

// Whether it neither sleeps nor blocks the signal, and how often it has slept so far. No lock, no
// allocation, no descriptor kept.
[[nodiscard]] bool is_awake_for(int tid, int signal, std::uint64_t& sleeps);

// Whether the thread sleeps, and how often it has slept so far; `unknown`: the kernel does not
// tell. No lock, no allocation, no descriptor kept.
[[nodiscard]] thread_state state_of_thread(int tid, std::uint64_t& sleeps);

// Bit n - 1 is signal n. Unlike in a sigset_t there are also those that the C library keeps for
// itself: cancelling a thread is one.
using kernel_signals = std::uint64_t;

// Return what restore_signals() is to be given.
kernel_signals block_all_but_faults();
kernel_signals block_all_but_memory_faults();  // SIGABRT too
void restore_signals(kernel_signals before);

}  // namespace rota::rt
