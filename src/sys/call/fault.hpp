// Plants faults for tests: the nth call of a kind fails with an error of the test's choice.
//
// Every shim in sys/ that the kernel may refuse calls fault_at() first, or faulty_size() where the
// kernel may do less than asked. Only builds with ROTA_DEBUG_CHECKS ask; in other builds the
// question is a constant. A site is the function that asks, or the name that it gives. The walk of
// faults (tests/http/server/fault_walk_test.cpp) goes through every site, and `./dev test faults`
// checks in the sources that none is left out.
#pragma once

#include <cstddef>

namespace rota::rt {

enum class sys_call : unsigned char {
    mmap,
    madvise,
    mprotect,
    clone,
    poll_create,
    poll_add,
    poll_wait,
    ring_create,
    ring_file,  // a call on a file that a ring is to make
    socket,
    bind,
    listen,
    accept,
    connect,
    read,   // read and receive calls
    room,   // the room that a stream's reader offers: only a short count
    write,  // write and send calls
    send_file,
    event,  // reading and writing an eventfd of the runtime's own
    open,
    pipe,
    close_file,  // after it has been closed
    sync,
    spawn,
    pidfd,
    poll_remove,
    close_socket,  // after it has been closed
    ask,           // queries about a descriptor or a path: nothing changes
    change,        // changes of a descriptor or a name
    directory,
    resolve,  // by the C library
    process,  // waiting for a process, and signals to it
    ring_enter,
    count
};

#if defined(ROTA_DEBUG_CHECKS)
// Returns the errno to fail with, or 0; or -n, which limits a read or write to n bytes. Writer: a
// test, before the calls that it watches. Reader: any thread, also the threads that the runtime
// keeps between two tests. Not atomics of ours: memory that an explored schedule has mapped stays
// mapped in the next schedule, which then asks less often.
using fault_function = int (*)(sys_call);
using site_fault_function = int (*)(sys_call, const char* site);
inline constinit fault_function fault_hook = nullptr;
inline constinit site_fault_function site_fault_hook = nullptr;

inline int planted_fault(sys_call call, const char* site) {
    // pairs(fault_hook), both
    if (const auto by_site = __atomic_load_n(&site_fault_hook, __ATOMIC_ACQUIRE))
        return by_site(call, site);
    const auto hook = __atomic_load_n(&fault_hook, __ATOMIC_ACQUIRE);  // pairs(fault_hook)
    return hook == nullptr ? 0 : hook(call);
}

// A short count is no fault where there is no size to cut.
inline int fault_at(sys_call call, const char* site = __builtin_FUNCTION()) {
    const int fault = planted_fault(call, site);
    return fault > 0 ? fault : 0;
}

// 0, and `size` may be smaller, but not 0; or the errno to fail with.
inline int faulty_size(sys_call call, std::size_t& size, const char* site = __builtin_FUNCTION()) {
    const int fault = planted_fault(call, site);
    if (fault >= 0) return fault;
    const auto most = static_cast<std::size_t>(-static_cast<long>(fault));
    if (most < size) size = most;
    return 0;
}

inline void plant_fault(fault_function hook) {
    // The release makes the test's preparations visible with the hook.
    __atomic_store_n(&fault_hook, hook, __ATOMIC_RELEASE);  // pairs(fault_hook)
}
// The hook by site takes precedence over the plain hook.
inline void plant_fault_by_site(site_fault_function hook) {
    __atomic_store_n(&site_fault_hook, hook, __ATOMIC_RELEASE);  // pairs(fault_hook)
}
#else
constexpr int fault_at(sys_call, const char* = nullptr) { return 0; }
constexpr int faulty_size(sys_call, const std::size_t&, const char* = nullptr) { return 0; }
#endif

}  // namespace rota::rt
