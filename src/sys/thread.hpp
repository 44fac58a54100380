// Kernel threads: creation, naming, the bounds of their stacks, how many processors they have.
#pragma once

#include <cstddef>
#include <cstdint>

#include <signal.h>

namespace rota::rt {

// Starts a detached thread that runs start(arg) with the caller's signal mask. Returns 0 or an
// errno value. The thread's frames have `stack_size` bytes; what the C library puts on the same
// stack, thread-local variables above all, comes on top: with OpenBLAS in the process that is
// 60 KiB.
[[nodiscard]] int thread_create(void* (*start)(void*), void* arg, std::size_t stack_size);

// The size of such a thread's whole stack. The same in each call.
std::size_t whole_stack_size(std::size_t stack_size);

// Boot notes the signal mask of its thread; threads that run goroutines take it, whoever starts
// them.
void thread_note_signal_mask();
void thread_take_signal_mask();
void thread_signal_mask_of_boot(sigset_t& mask);

// Lets this signal come to the calling thread, or keeps it away. True: it could not come before.
bool thread_unblock_signal(int signal);
void thread_block_signal(int signal);

// Names the calling thread, at most 15 characters.
void thread_set_name(const char* name);

// Leaves the program's signals to the program's threads; faults stay deliverable.
void thread_block_signals();

// The calling thread runs briefly and often, and wants to soon after it wakes up: where all
// processors are busy, others are interrupted for it. Linux 6.12 and later; elsewhere nothing.
void thread_runs_briefly();

// The stack of the calling thread. May allocate: only sanitizer builds ask.
struct thread_stack {
    const void* bottom;
    std::size_t size;
};
thread_stack current_thread_stack();

// The address of `frame`, which is of the first function of the calling thread, if `depth` bytes
// below it surely belong to the thread's stack; else 0. The thread was made by
// thread_create(..., stack_size).
std::uintptr_t frame_with_stack_below(const void* frame, std::size_t stack_size, std::size_t depth);

// Processors that this process may use (its affinity mask when first asked), at least 1.
int processor_count();

// Processors in the affinity mask of a thread of this process (0: the calling one) as it is now, at
// least 1.
int allowed_processors(int thread_id);

int current_thread_id();

// Voluntary context switches of the calling thread so far; the highest value if refused.
std::uint64_t current_thread_sleeps();

// How long a thread of this process has been on a processor, in ns, or -1 if there is none of this
// number. It stands still while the thread is blocked or has no processor. Some 0.3 µs; no lock, no
// allocation.
std::int64_t thread_cpu_time(int tid);

// What all threads of the process have had of processors, in ns; 0: not to be known.
std::int64_t process_cpu_time();

// What the kernel says of a thread of this process. It says nothing where there is no /proc, or no
// free descriptor. Some 10 µs; no lock, no allocation, no descriptor kept.
enum class thread_state : unsigned char { unknown, awake, asleep };
thread_state state_of_thread(int tid);

// Of such a thread: also where it runs, or has last run; -1: unknown.
struct thread_place {
    thread_state state;
    int processor;
};
thread_place place_of_thread(int tid);

// Whether it is one of the kernel's threads that make calls for a ring (io_uring): it runs no code
// of the program's, and hears no signal. False where nothing is said, as above.
bool is_worker_of_ring(int tid);

// Sends a thread of this process a signal. False: there is no such thread.
bool thread_signal(int tid, int signal);

void thread_sleep_ns(long ns);
void thread_yield();

// While it lives pthread_cancel does not end the thread. Caller: stays on the thread.
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
