// Creates kernel threads, names and signals them, and reports their stacks, times and processors.
#pragma once

#include <cstddef>
#include <cstdint>

#include <signal.h>

namespace rota::rt {

// Starts a detached thread that runs start(arg) with the caller's signal mask. Returns 0 or an
// errno value. The thread's frames have `stack_size` bytes. The C library's part of the same stack,
// mostly thread-local variables, is added to it: 60 KiB with OpenBLAS in the process.
[[nodiscard]] int thread_create(void* (*start)(void*), void* arg, std::size_t stack_size);

// Bytes; the whole stack of such a thread. The same in each call.
std::size_t whole_stack_size(std::size_t stack_size);

// Boot notes the signal mask of its thread. Threads that run goroutines take it, whichever thread
// starts them.
void thread_note_signal_mask();
void thread_take_signal_mask();
void thread_signal_mask_of_boot(sigset_t& mask);

// Lets `signal` reach the calling thread, or blocks it. True: it was blocked before.
bool thread_unblock_signal(int signal);
void thread_block_signal(int signal);

// Names the calling thread, at most 15 characters.
void thread_set_name(const char* name);

// Leaves the program's signals to the program's threads; faults stay deliverable.
void thread_block_signals();

// For a calling thread that runs briefly and often, and must run soon after it wakes: if every
// processor is busy, the kernel preempts another thread for it. Linux 6.12 and later; elsewhere no
// effect.
void thread_runs_briefly();

// The stack of the calling thread. May allocate: only sanitizer builds call it.
struct thread_stack {
    const void* bottom;
    std::size_t size;
};
thread_stack current_thread_stack();

// The address of `frame`, a frame of the calling thread's first function, if `depth` bytes below it
// surely belong to the thread's stack; else 0. Caller: a thread made by thread_create(...,
// stack_size).
std::uintptr_t frame_with_stack_below(const void* frame, std::size_t stack_size, std::size_t depth);

// Count; processors that this process may use (its affinity mask at the first call), at least 1.
int processor_count();

// Count; processors in the present affinity mask of a thread of this process (0: the caller), at
// least 1.
int allowed_processors(int thread_id);

int current_thread_id();

// Voluntary context switches of the calling thread so far; the highest value if refused.
std::uint64_t current_thread_sleeps();

// ns that a thread of this process has spent on a processor, or -1 if no thread has this number.
// The time stands still while the thread is blocked or has no processor. Some 0.3 µs; no lock, no
// allocation.
std::int64_t thread_cpu_time(int tid);

// ns that the threads of the process have spent on processors, together; 0: not known.
std::int64_t process_cpu_time();

// The kernel's report on a thread of this process; `unknown` where there is no /proc, or no free
// descriptor. Some 10 µs; no lock, no allocation, no descriptor kept.
enum class thread_state : unsigned char { unknown, awake, asleep };
thread_state state_of_thread(int tid);

// As state_of_thread, and the processor where the thread runs, or has last run; -1: unknown.
struct thread_place {
    thread_state state;
    int processor;
};
thread_place place_of_thread(int tid);

// Whether it is a kernel thread that makes calls for a ring (io_uring): it runs no code of the
// program, and gets no signal. False where the kernel reports nothing, as above.
bool is_worker_of_ring(int tid);

// Sends a thread of this process a signal. False: there is no such thread.
bool thread_signal(int tid, int signal);

void thread_sleep_ns(long ns);
void thread_yield();

// While it lives, pthread_cancel does not end the thread. Caller: stays on the thread.
class uncancelled {
  public:
    uncancelled();
    ~uncancelled();
    uncancelled(const uncancelled&) = delete;
    uncancelled& operator=(const uncancelled&) = delete;

  private:
    int before_ = 0;
};

}  // namespace rota::rt
