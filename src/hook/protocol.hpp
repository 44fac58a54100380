// The interface between the runtime and librota_hook.so. Both compile this header. Neither links
// the other, because a program contains the runtime statically and exports no symbol of it.
//
// At boot the runtime looks for rota_hook_attach among the dynamic symbols of the process and gives
// it this table. Without the library there is no such symbol, and the runtime does nothing more.
// Several runtimes in one process (plugins that carry librota.a) attach one after the other.
//
// The library knows C functions and descriptors; the runtime knows goroutines. Only the table
// crosses: plain C types, fixed order, a version.
#pragma once

#include <cstddef>
#include <cstdint>

struct pollfd;

namespace rota::rt {

inline constexpr std::uint32_t hook_version = 3;

// The kind of caller of a C library function.
enum class hook_caller : int {
    other,   // a thread, the runtime, a blocking section: the library calls the C library
    parks,   // a goroutine in user code: it may park
    blocks,  // a goroutine that keeps its thread: it gives its p away, and its thread blocks
};

struct hook_runtime {
    std::uint32_t version;
    bool traces;         // the library prints a line on stderr for each call that has parked
    bool takes_locks;    // waits for pthread mutexes and conditions are made in blocking sections
    bool notes_mutexes;  // mutex_locked and mutex_unlocked are to be called

    hook_caller (*caller)();
    std::uint64_t (*goid)();
    std::int64_t (*now)();  // ns, CLOCK_MONOTONIC

    // Parks until one of the descriptors may be ready, at most until `deadline` (ns of now();
    // hook_no_deadline: for ever). Returns
    //     0           the caller looks again: something may have changed
    //     ETIMEDOUT   the deadline has passed
    //     EBADF       fds[closed] was closed meanwhile; the library has reported it by closed()
    //     another     the runtime could not wait: no descriptor or memory for it, or the kernel
    //                 does not watch such files (EPERM)
    // in_turn: of the waits in turn for one file, an event ends a single wait. count is 1. The
    // caller calls pass_turn() when its own call is over, whatever wait() has returned. Caller:
    // hook_caller::parks.
    int (*wait)(const pollfd* fds, std::size_t count, std::int64_t deadline, bool in_turn,
                std::size_t& closed);
    // Ends the oldest wait in turn for that number if none of them listens to the kernel now.
    // Parks: never. Caller: as above.
    void (*pass_turn)(int fd);
    // Parks until then. Caller: as above.
    void (*sleep_until)(std::int64_t when);
    // Around a call that may block the thread. Caller: a goroutine in user code.
    void (*enter_blocking)();
    void (*leave_blocking)();
    // The program is about to close descriptors. Returns the number of this close. Any thread.
    std::uint64_t (*closing)();
    // That close has closed the descriptors from `first` to `last`. Waits that began before
    // closing() fail with EBADF. A later wait may be for a file that has got the number meanwhile:
    // it looks again. `close` is 0: all waits look again. Any thread.
    void (*closed)(unsigned first, unsigned last, std::uint64_t close);
    // The calling goroutine or thread has locked a pthread mutex, by a call that returns to
    // `locked_at`; it is about to unlock one. Any thread.
    void (*mutex_locked)(const void* mutex, const void* locked_at, bool knows_owner);
    void (*mutex_unlocked)(const void* mutex);
};

inline constexpr std::int64_t hook_no_deadline = INT64_MAX;

// Counts of the calls of one function that goroutines have made. The library writes them.
struct alignas(64) hook_counts {
    const char* name;
    std::uint64_t calls;    // relaxed, as the next three: for reports
    std::uint64_t parked;   // calls in which a goroutine has parked
    std::uint64_t blocked;  // calls that were made in a blocking section
    std::uint64_t waits;    // how often the calls have parked
};

struct hook_library {
    std::uint32_t version;
    const hook_counts* counts;
    std::size_t count;
};

// Null: the table is of another version, or there are too many runtimes.
using hook_attach_function = const hook_library*(const hook_runtime*);
inline constexpr char hook_attach_name[] = "rota_hook_attach";

}  // namespace rota::rt
