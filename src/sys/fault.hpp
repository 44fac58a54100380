// The seam for planted faults: the nth call of a kind fails with an error of the test's choice.
//
// Every shim in sys/ that the kernel may refuse asks fault_at() first. Only builds with
// ROTA_DEBUG_CHECKS ask; in the others the question is a constant.
#pragma once

#include "base/atomic.hpp"

namespace rota::rt {

enum class sys_call : unsigned char { mmap, madvise, mprotect, clone, count };

#if defined(ROTA_DEBUG_CHECKS)
// Returns the errno to fail with, or 0. Set by a test before the calls it watches; asked by any
// thread, also by those that the runtime keeps between two tests.
using fault_function = int (*)(sys_call);
inline constinit atomic<fault_function> fault_hook{nullptr};
inline int fault_at(sys_call call) {
    const fault_function hook = fault_hook.load(memory_order_acquire);  // pairs(fault_hook)
    return hook == nullptr ? 0 : hook(call);
}
inline void plant_fault(fault_function hook) {
    fault_hook.store(hook, memory_order_release);  // pairs(fault_hook): what the test has set up
}
#else
constexpr int fault_at(sys_call) { return 0; }
#endif

}  // namespace rota::rt
