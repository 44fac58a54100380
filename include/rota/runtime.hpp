// The runtime itself: processors, threads, identity, what the scheduler has done. Go: package
// runtime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <rota/detail/preempt.hpp>

namespace rota::runtime {

/// Sets the number of processors, which is how many goroutines run at the same moment, to n (1 to
/// 1024, larger ones count as 1024) and returns the one of before. With n <= 0, changes nothing.
///
/// At first it is the environment's GOMAXPROCS; without that, the default: see
/// set_default_gomaxprocs. n > 0 fixes it, also against later changes of the default.
/// A change stops all goroutines for some microseconds, but for those that compute without any
/// operation of rota: these only lose their processor. May be called from any goroutine and thread,
/// also by several at once; blocks, and may migrate. Does nothing while the process exits. Go:
/// runtime.GOMAXPROCS.
int gomaxprocs(int n = 0);

/// Makes the number of processors what a program begins with: the environment's GOMAXPROCS, or else
/// the default, which is the processors in the affinity mask, or as many as the tightest quota of
/// the control groups pays for, if these are less: rounded down, at least 1
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

/// Lets others run if the scheduler has asked for it: because the time slice of 10 ms is over, or
/// because somebody waits for the world to stop. For loops that compute for long without any
/// operation of rota: looks at one byte. In a thread outside rota, does nothing. Go's compiler
/// plants such points.
inline void preempt_point() {
    if (detail::is_preempt_wanted()) [[unlikely]]
        detail::preempt_here();
}

/// Ends the current goroutine: runs the destructors and defers of everything on its stack,
/// innermost first, then ends it. They may block.
///
/// A `catch (...)` on the way runs as well and must rethrow: one that does not is a fatal error,
/// and so is a noexcept function on the way. std::current_exception() is null in such a handler and
/// std::uncaught_exceptions() does not count it. After a call by the main goroutine run() does not
/// return: the others go on, and when the last has ended: `fatal error: no goroutines (main called
/// runtime.Goexit) - deadlock!`. In a thread outside rota throws panic_error. Go: runtime.Goexit.
[[noreturn]] void goexit();

/// Collects: values that lie in a rota::pool, and have since the call before, are destroyed, in the
/// caller. There is no other memory that rota looks after for you: the opt-in heap of the contract
/// is not part of it yet. May block where a value's destructor does. Go: runtime.GC.
void gc();

/// Locks the calling goroutine to the thread that it runs on: it runs there only, and nobody else
/// does, until unlock_os_thread has been called as often. A main goroutine is locked to the thread
/// that called run.
///
/// A goroutine that ends locked takes its thread with it, whatever it has done to that, unless it
/// is the thread of its run(). Each switch to and from a locked goroutine hands its processor from
/// thread to thread, some 10 to 50 µs. May migrate before it locks. In a thread outside rota, does
/// nothing. Go: runtime.LockOSThread.
void lock_os_thread();

/// Undoes one call of lock_os_thread by this goroutine; without any, does nothing. Go:
/// runtime.UnlockOSThread.
void unlock_os_thread();

/// While it lives, the calling goroutine stays on the thread on which it stands, and no other
/// goroutine runs there, not even while it waits.
///
/// For code that belongs to a thread and calls back into goroutine code that may wait: a handler
/// that Asio's `run` calls, the body of an OpenMP region, a function that Python or sqlite calls
/// while its thread holds a lock. To enter and to leave costs a counter. A wait inside hands the
/// processor from thread to thread, as under lock_os_thread, some 10 to 50 µs, and keeps a thread
/// for itself; without a wait nothing else happens. Pins nest, and end by exceptions and goexit.
///
/// It must end in the goroutine in which it began, and before that ends: each is a fatal error.
/// Unlike lock_os_thread it never migrates: a main goroutine is pinned where it is, and
/// lock_os_thread inside of a pin panics in a main goroutine that is not on run's thread. In a
/// thread outside rota, and with GODEBUG=schedseed, does nothing. GODEBUG=parkcheck reports waits
/// that lack one (docs/debugging.md). Go: none; see LockOSThread.
class [[nodiscard]] pin {
  public:
    pin();
    ~pin();
    pin(const pin&) = delete;
    pin& operator=(const pin&) = delete;

  private:
    void* goroutine_;  // that it was made by; null: none
};

/// The number of the current goroutine, 0 outside goroutines; the process's first main goroutine
/// is 1.
std::uint64_t goid();

/// The stack of the calling goroutine, or thread, as text in Go's layout; with `all` those of every
/// other goroutine too, with their states and creators. The program goes on: each goroutine that
/// lives from the beginning to the end is shown once, as it was at some moment in between; those
/// that do not run are held still for some 0.1 ms, a few dozen of them at a time, and the threads
/// of those that compute are asked where they are, by a signal. That blocks the calling thread, for
/// a millisecond each, and for a second in all where they do not answer; then no stack is shown.
/// Functions have names if the program has symbols, and lines of source if it has debug
/// information; functions that were inlined do not appear. Throws std::bad_alloc. Go:
/// runtime.Stack, which stops the world.
std::string stack(bool all = false);

/// The stack size of new goroutines, rounded up to a power of two from 16 KiB to 64 MiB; returns
/// what was set before, not rounded. Go: debug.SetMaxStack.
std::size_t set_max_stack(std::size_t bytes);

/// How deep goroutines have used their stacks: those that one place in the program has made with
/// stacks of one size.
struct stack_depth {
    std::string function;    ///< what they run; a lambda as `main::{lambda()#1}`
    std::string created_by;  ///< the function that made them, and its line: `main (server.cpp:12)`
    std::uint64_t goroutines;  ///< how many have been measured
    std::size_t deepest;       ///< of the goroutine that went deepest; bytes, in whole pages
    std::size_t stack_size;    ///< bytes
};

/// For choosing go_options::stack_size: the depths of all goroutines that live, by the place that
/// made them, the deepest first. With GODEBUG=stackdepth=1 also of all that have ended; each end
/// takes some microseconds then. Without it, a stack that has served an earlier goroutine shows
/// the deepest of all that it has served.
///
/// Pages in the swap are not counted. A system call for each goroutine; names come from the
/// program's symbols. Places beyond the 1023rd are gathered as `(others)`. Does not migrate, but
/// may block as stack(true) does. Throws std::bad_alloc.
std::vector<stack_depth> stack_depths();

/// How many threads the runtime may have, 10000 at first; exceeding it is fatal, at once if it has
/// more already. Those that it has made because goroutines compute for long, or block outside
/// blocking(), do not count. Returns the limit of before. Throws panic_error if
/// n < 1. Go: debug.SetMaxThreads.
int set_max_threads(int n);

/// What the scheduler has done since the process began. Each figure is exact at some moment of the
/// call.
struct sched_stats {
    std::uint64_t goroutines_created;
    std::uint64_t goroutines_ended;
    std::uint64_t threads_created;
    std::uint64_t parks;        ///< goroutines put to sleep
    std::uint64_t steals;       ///< successful raids of one processor on another
    std::uint64_t stolen;       ///< goroutines taken in them
    std::uint64_t handoffs;     ///< processors taken from blocked system calls and given to others
    std::uint64_t syscalls;     ///< calls of rota::blocking
    std::uint64_t global_gets;  ///< batches taken from the global queue
    std::uint64_t wakeups;      ///< idle threads woken
    std::uint64_t preemptions;  ///< time slices ended by request
    std::uint64_t timers_run;
};
sched_stats read_sched_stats();

}  // namespace rota::runtime
