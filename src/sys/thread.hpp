// Kernel threads: creation, naming, the bounds of their stacks, how many processors they have.
#pragma once

#include <cstddef>

namespace rota::rt {

// Starts a detached thread that runs start(arg) with the caller's signal mask. Returns 0 or an
// errno value.
[[nodiscard]] int thread_create(void* (*start)(void*), void* arg, std::size_t stack_size);

// Boot notes the signal mask of its thread; threads that run goroutines take it, whoever starts
// them.
void thread_note_signal_mask();
void thread_take_signal_mask();

// Names the calling thread, at most 15 characters.
void thread_set_name(const char* name);

// Leaves the program's signals to the program's threads; faults stay deliverable.
void thread_block_signals();

// The stack of the calling thread. May allocate: only sanitizer builds ask.
struct thread_stack {
    const void* bottom;
    std::size_t size;
};
thread_stack current_thread_stack();

// Processors that this process may use (its affinity mask when first asked), at least 1.
int processor_count();

// Processors in the affinity mask of a thread of this process (0: the calling one) as it is now, at
// least 1.
int allowed_processors(int thread_id);

int current_thread_id();
void thread_sleep_ns(long ns);
void thread_yield();

}  // namespace rota::rt
