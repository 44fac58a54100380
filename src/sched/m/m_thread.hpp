// Starts the threads of ms and of the runtime's helpers. An m's thread runs schedule_loop until it
// ends.
#pragma once

#include <cstddef>

#include "base/annotations.hpp"
#include "core/sched.hpp"

namespace rota::rt {

// Starts a thread of the runtime. Tries for a while if the kernel is short of a resource, then ends
// the process.
void start_thread(void* (*start)(void*), void* arg, std::size_t stack_size);

// Ends the process: the kernel has refused a thread, with this error.
[[noreturn]] void no_thread(int error);

// Starts the thread of mp, a listed and counted record. Returns 0, or the kernel's error. Caller:
// sched/m/template_thread.
[[nodiscard]] int start_m_thread(m& mp);

// Sets up self, on its own thread; each m needs this once.
void minit(m& self);

// Notes the thread's floating-point control words: its goroutines must have the same when they
// block. Debug builds check that.
inline void note_fp_control([[maybe_unused]] m& self) {
#if defined(ROTA_DEBUG_CHECKS)
    self.fp = fp_control::current();
#endif
}

}  // namespace rota::rt
