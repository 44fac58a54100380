// The seam for planted faults: the nth call of a kind fails with an error of the test's choice.
//
// Every shim in sys/ that the kernel may refuse asks fault_at() first. Only builds with
// ROTA_DEBUG_CHECKS ask; in the others the question is a constant. An answer of -n to a read or
// write of a file, also one by a ring, lets it have no more than n bytes.
#pragma once

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
    read,   // and what receives
    write,  // and what sends
    send_file,
    event,  // reading and writing an eventfd of the runtime's own
    open,
    pipe,
    close_file,  // after it has been closed
    sync,
    spawn,
    pidfd,
    count
};

#if defined(ROTA_DEBUG_CHECKS)
// Returns the errno to fail with, or 0, or -n. Set by a test before the calls it watches; asked by
// any thread, also by those that the runtime keeps between two tests. Not an atomic of ours: memory
// that one explored schedule has mapped stays mapped in the next, which then asks less often.
using fault_function = int (*)(sys_call);
inline constinit fault_function fault_hook = nullptr;
inline int fault_at(sys_call call) {
    const fault_function hook =
        __atomic_load_n(&fault_hook, __ATOMIC_ACQUIRE);  // pairs(fault_hook)
    return hook == nullptr ? 0 : hook(call);
}
inline void plant_fault(fault_function hook) {
    // What the test has set up is seen with the hook.
    __atomic_store_n(&fault_hook, hook, __ATOMIC_RELEASE);  // pairs(fault_hook)
}
#else
constexpr int fault_at(sys_call) { return 0; }
#endif

}  // namespace rota::rt
