// What the runtime and librota_hook.so tell each other. Both compile this header; neither links the
// other, because a program has the runtime in itself, statically, and exports no symbol of it.
//
// At boot the runtime looks for rota_hook_attach among the dynamic symbols of the process and gives
// it this table. Without the library there is none, and nothing else happens. Several runtimes in
// one process (plugins that carry librota.a) attach one after the other.
//
// The library knows C functions and descriptors, the runtime knows goroutines. The table is all
// that crosses: plain C types, fixed order, a version.
#pragma once

#include <cstddef>
#include <cstdint>

struct pollfd;

namespace rota::rt {

inline constexpr std::uint32_t hook_version = 2;

// Who makes a call of the C library.
enum class hook_caller : int {
    other,   // a thread, the runtime, a blocking section: the call is the C library's
    parks,   // a goroutine in user code: it may park
    blocks,  // a goroutine that keeps its thread: it gives its p away, and its thread blocks
};

struct hook_runtime {
    std::uint32_t version;
    bool traces;       // each parked call is told on stderr
    bool takes_locks;  // waits for pthread mutexes and conditions are made in blocking sections

    hook_caller (*caller)();
    std::uint64_t (*goid)();
    std::int64_t (*now)();  // ns, CLOCK_MONOTONIC

    // Parks until one of the descriptors may be ready, at most until `deadline` (ns of now();
    // hook_no_deadline: for ever). Returns
    //     0           look again: something may have changed
    //     ETIMEDOUT   the deadline has passed
    //     EBADF       fds[closed] was closed meanwhile, as the library has said by closed()
    //     another     nothing was waited for: no descriptor or memory for it, or the kernel does
    //                 not watch such files (EPERM)
    // Caller: hook_caller::parks.
    int (*wait)(const pollfd* fds, std::size_t count, std::int64_t deadline, std::size_t& closed);
    // Parks until then. Caller: as above.
    void (*sleep_until)(std::int64_t when);
    // Around a call that may block the thread. Caller: a goroutine in user code.
    void (*enter_blocking)();
    void (*leave_blocking)();
    // The program is about to close descriptors. Returns the number of this close. Any thread.
    std::uint64_t (*closing)();
    // That close has closed the descriptors from `first` to `last`. Waits that began before
    // closing() fail with EBADF. A later one may be for a file that has got the number meanwhile:
    // it looks again. 0: all look again. Any thread.
    void (*closed)(unsigned first, unsigned last, std::uint64_t close);
};

inline constexpr std::int64_t hook_no_deadline = INT64_MAX;

// What has become of the calls of one function that goroutines have made. The library writes.
struct alignas(64) hook_counts {
    const char* name;
    std::uint64_t calls;    // relaxed, as the other two: for reports
    std::uint64_t parked;   // a goroutine waited
    std::uint64_t blocked;  // made in a blocking section
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
