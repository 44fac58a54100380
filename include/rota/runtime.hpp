// The runtime itself: processors, threads, identity, statistics of the scheduler. Go: package
// runtime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <rota/detail/preempt.hpp>

namespace rota::runtime {

/// Sets the number of processors, which is how many goroutines run at the same moment, to n (1 to
/// 1024; a larger n counts as 1024) and returns the previous number. With n <= 0, changes nothing.
///
/// The initial number is the environment's GOMAXPROCS; without that, the default: see
/// set_default_gomaxprocs. n > 0 fixes it, also against later changes of the default. A change
/// stops every goroutine for some microseconds, except goroutines that compute without any
/// operation of rota: these only lose their processor. May be called from any goroutine and thread,
/// also concurrently; blocks, and may migrate. Has no effect while the process exits. Go:
/// runtime.GOMAXPROCS.
int gomaxprocs(int n = 0);

/// Sets the number of processors to the number at the program's start: the environment's
/// GOMAXPROCS, or else the default. The default is the number of processors in the affinity mask,
/// or the tightest quota of the control groups if that is less: rounded down, at least 1
/// (GODEBUG=cgroupceil=1: rounded up, at least 2). The default is followed: when mask or quota
/// change, so does the number, within a second. Blocks and migrates as gomaxprocs. Go:
/// runtime.SetDefaultGOMAXPROCS.
void set_default_gomaxprocs();

/// Processors of the machine that this process may use, at least 1. Go: runtime.NumCPU.
int num_cpu();

/// Goroutines that exist now, running or not. Go: runtime.NumGoroutine.
int num_goroutine();

/// Threads that the runtime schedules on, the monitor thread and threads inside run() included.
int num_thread();

/// Lets other goroutines run. In a thread outside rota, does nothing. Go: runtime.Gosched.
void gosched();

/// Yields if the scheduler has asked for it, because the time slice of 10 ms is over, or because a
/// thread waits for the world to stop. For loops that compute for long without any operation of
/// rota; it reads one byte. In a thread outside rota, has no effect. Go's compiler inserts such
/// points.
inline void preempt_point() {
    if (detail::is_preempt_wanted()) [[unlikely]]
        detail::preempt_here();
}

/// Ends the current goroutine: first runs the destructors and defers of its whole stack, innermost
/// first. They may block.
///
/// A `catch (...)` on the way runs as well and must rethrow: a handler that does not is a fatal
/// error, and so is a noexcept function on the way. std::current_exception() is null in such a
/// handler and std::uncaught_exceptions() does not count it. After a call by the main goroutine
/// run() does not return: the other goroutines continue, and when the last has ended: `fatal error:
/// no goroutines (main called runtime.Goexit) - deadlock!`. In a thread outside rota throws
/// panic_error. Go: runtime.Goexit.
[[noreturn]] void goexit();

/// Collects: destroys, in the caller, the values that lie in a rota::pool and have lain there since
/// the call before. rota manages no other memory for the program: the opt-in heap of the contract
/// is not part of it yet. May block where a value's destructor does. Go: runtime.GC.
void gc();

/// Locks the calling goroutine to the thread that it runs on: it runs only there, and no other
/// goroutine does, until unlock_os_thread has been called as often. A main goroutine is locked to
/// the thread that called run.
///
/// A goroutine that ends locked ends its thread too, whatever state the thread is in, unless it is
/// the thread of its run(). Each switch to and from a locked goroutine hands its processor from
/// thread to thread, some 10 to 50 µs. May migrate before it locks. In a thread outside rota, has
/// no effect. Go: runtime.LockOSThread.
void lock_os_thread();

/// Undoes one call of lock_os_thread by this goroutine; without such a call, has no effect. Go:
/// runtime.UnlockOSThread.
void unlock_os_thread();

/// During its lifetime the calling goroutine stays on its current thread, and no other goroutine
/// runs there, not even while it waits.
///
/// For code that belongs to a thread and calls back into goroutine code that may wait: a handler
/// that Asio's `run` calls, the body of an OpenMP region, a function that Python or sqlite calls
/// while its thread holds a lock. Its constructor and destructor change a counter. A wait inside
/// hands the processor from thread to thread, as under lock_os_thread, some 10 to 50 µs, and
/// occupies a thread; without a wait there is no further cost. Pins nest, and end by exceptions and
/// goexit.
///
/// It must end in the goroutine in which it began, and before that goroutine ends; otherwise it is
/// a fatal error. Unlike lock_os_thread it never migrates: a main goroutine is pinned to its
/// current thread, and lock_os_thread inside a pin panics in a main goroutine that is not on run's
/// thread. In a thread outside rota, and with GODEBUG=schedseed, it has no effect.
/// GODEBUG=parkcheck reports waits without a pin (docs/debugging.md). Go: none; see LockOSThread.
class [[nodiscard]] pin {
  public:
    pin();
    ~pin();
    pin(const pin&) = delete;
    pin& operator=(const pin&) = delete;

  private:
    void* goroutine_;  // the goroutine that made it; null: none
};

/// The number of the current goroutine, 0 outside goroutines; the process's first main goroutine
/// is 1.
std::uint64_t goid();

/// The stack of the calling goroutine, or thread, as text in Go's layout. With `all` also the
/// stacks of every other goroutine, with their states and creators. The program continues
/// meanwhile: each goroutine that lives from the call's beginning to its end is shown once, in its
/// state at some moment between. Goroutines that do not run are held still for some 0.1 ms, a few
/// dozen at a time. Threads of computing goroutines are asked for their position by a signal. That
/// blocks the calling thread for a millisecond each, and for a second in all if they do not answer;
/// then no stack is shown. Functions have names if the program has symbols. Lines of source, and
/// inlined functions, appear if it has debug information. Throws std::bad_alloc. Go: runtime.Stack,
/// which stops the world.
std::string stack(bool all = false);

/// The stack size of new goroutines, rounded up to a power of two from 16 KiB to 64 MiB; returns
/// the value set before, not rounded. Go: debug.SetMaxStack.
std::size_t set_max_stack(std::size_t bytes);

/// Stack use of goroutines. One entry counts the goroutines that a single line of the program made
/// with stacks of a single size.
struct stack_depth {
    std::string function;    ///< the goroutines' function; a lambda as `main::{lambda()#1}`
    std::string created_by;  ///< the function that made them, and its line: `main (server.cpp:12)`
    std::uint64_t goroutines;  ///< the number of measured goroutines
    std::size_t deepest;       ///< bytes, in whole pages; of the goroutine that went deepest
    std::size_t stack_size;    ///< bytes
};

/// For choosing go_options::stack_size: the depths of every live goroutine, by the place that made
/// it, the deepest first. With GODEBUG=stackdepth=1 also of every goroutine that has ended; each
/// end takes some microseconds then. Without it, a reused stack shows the deepest use by any
/// goroutine that it has served.
///
/// Pages in the swap are not counted. Makes a system call for each goroutine; names come from the
/// program's symbols. Places beyond the 1023rd are combined as `(others)`. Does not migrate, but
/// may block as stack(true) does. Throws std::bad_alloc.
std::vector<stack_depth> stack_depths();

/// Sets how many threads the runtime may have, initially 10000. Exceeding the limit is fatal, at
/// once if it is exceeded already. Threads made because goroutines compute for long, or block
/// outside blocking(), do not count. Returns the previous limit. Throws panic_error if n < 1. Go:
/// debug.SetMaxThreads.
int set_max_threads(int n);

/// Counts of the scheduler since the process began. Each figure is exact at some moment of the
/// call.
struct sched_stats {
    std::uint64_t goroutines_created;
    std::uint64_t goroutines_ended;
    std::uint64_t threads_created;
    std::uint64_t parks;        ///< goroutines put to sleep;
    std::uint64_t steals;       ///< times that a processor stole from another;
    std::uint64_t stolen;       ///< goroutines taken by these steals;
    std::uint64_t handoffs;     ///< processors taken from blocked system calls and handed on;
    std::uint64_t syscalls;     ///< calls of rota::blocking;
    std::uint64_t global_gets;  ///< batches taken from the global queue;
    std::uint64_t wakeups;      ///< idle threads woken;
    std::uint64_t preemptions;  ///< time slices ended by request
    std::uint64_t timers_run;
};
sched_stats read_sched_stats();

}  // namespace rota::runtime
