// The seam for planted faults: the nth call of a kind fails with an error of the test's choice.
//
// Every shim in sys/ that the kernel may refuse asks fault_at() first. Only builds with
// ROTA_DEBUG_CHECKS ask; in the others the question is a constant.
#pragma once

namespace rota::rt {

enum class sys_call : unsigned char { mmap, madvise, mprotect, clone, count };

#if defined(ROTA_DEBUG_CHECKS)
// Returns the errno to fail with, or 0. Set by a test before the calls it watches; may run on any
// thread.
using fault_function = int (*)(sys_call);
inline constinit fault_function fault_hook = nullptr;
inline int fault_at(sys_call call) { return fault_hook == nullptr ? 0 : fault_hook(call); }
#else
constexpr int fault_at(sys_call) { return 0; }
#endif

}  // namespace rota::rt
