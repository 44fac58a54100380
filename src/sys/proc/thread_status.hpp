// The kernel's information about another thread, and the calling thread's signal mask as the kernel
// counts it.
#pragma once

#include <cstdint>

#include "sys/thread/thread.hpp"

namespace rota::rt {

enum class thread_ears : unsigned char {
    open,   // the signal comes once it has a processor, or the kernel lets it
    deaf,   // it sleeps, and blocks that signal
    busy,   // it blocks that signal and does not sleep: it may have just begun
    ended,  // there is no such thread, or only a number that is not freed yet
};

// From /proc/self/task/TID/status. No lock, no allocation, no descriptor kept.
thread_ears thread_hears(int tid, int signal);

// A thread that sleeps in the kernel: where its own code is, and how often the kernel has taken it
// off a processor. That count grows when the thread sleeps again.
struct sleeping_thread {
    std::uintptr_t sp = 0, pc = 0;
    std::uint64_t switches = 0;
};

// False: the thread does not sleep, or the kernel does not tell. No lock, no allocation, no
// descriptor kept.
[[nodiscard]] bool find_sleeping(int tid, sleeping_thread& found);
// Whether the thread still sleeps, and has not run since.
[[nodiscard]] bool sleeps_still(int tid, const sleeping_thread& since);

// Whether the thread neither sleeps nor blocks the signal, and how often it has slept so far. No
// lock, no allocation, no descriptor kept.
[[nodiscard]] bool is_awake_for(int tid, int signal, std::uint64_t& sleeps);

// Whether the thread sleeps, and how often it has slept so far; `unknown`: the kernel does not
// tell. No lock, no allocation, no descriptor kept.
[[nodiscard]] thread_state state_of_thread(int tid, std::uint64_t& sleeps);

// Bit n - 1 is signal n. Unlike a sigset_t it includes the signals that the C library keeps for
// itself, such as the one for cancelling a thread.
using kernel_signals = std::uint64_t;

// Both return the argument for restore_signals().
kernel_signals block_all_but_faults();
kernel_signals block_all_but_memory_faults();  // SIGABRT too
void restore_signals(kernel_signals before);

}  // namespace rota::rt
