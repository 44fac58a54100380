// Tells the sanitizers about stack switches, in this one place. Empty in ordinary builds.
//
// tsan keeps one "fiber" per goroutine, asan one fake stack. fiber_leave() runs on the old stack
// right before the assembly, fiber_arrive() on the new stack right after it. Both are inlined into
// the function that switches: otherwise tsan would pop its shadow call stack on the wrong side.
#pragma once

#include <cstddef>

#include "base/annotations.hpp"

#if ROTA_TSAN
#include <sanitizer/tsan_interface.h>
#endif
#if ROTA_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/lsan_interface.h>
#endif

namespace rota::rt {

struct fiber {
#if ROTA_TSAN
    void* tsan = nullptr;
#endif
#if ROTA_ASAN
    void* fake_stack = nullptr;
    const void* bottom = nullptr;
    std::size_t size = 0;
#endif
};

// Makes a fiber for a stack that has not run yet. fiber_destroy ends it, called from another stack.
inline void fiber_create([[maybe_unused]] fiber& f, [[maybe_unused]] void* bottom,
                         [[maybe_unused]] std::size_t size) {
#if ROTA_TSAN
    f.tsan = __tsan_create_fiber(0);
#endif
#if ROTA_ASAN
    f.fake_stack = nullptr;
    f.bottom = bottom;
    f.size = size;
    __asan_unpoison_memory_region(
        bottom, size);  // the last goroutine here left without unwinding its first frames
#endif
}

inline void fiber_destroy([[maybe_unused]] fiber& f) {
#if ROTA_TSAN
    __tsan_destroy_fiber(f.tsan);
    f.tsan = nullptr;
#endif
}

// Adopts the running thread's own stack.
inline void fiber_adopt_thread([[maybe_unused]] fiber& f, [[maybe_unused]] const void* bottom,
                               [[maybe_unused]] std::size_t size) {
#if ROTA_TSAN
    f.tsan = __tsan_get_current_fiber();
#endif
#if ROTA_ASAN
    f.bottom = bottom;
    f.size = size;
#endif
}

// `forever`: the program never switches to this stack again; asan frees its fake frames.
ROTA_ALWAYS_INLINE void fiber_leave([[maybe_unused]] fiber& from, [[maybe_unused]] const fiber& to,
                                    [[maybe_unused]] bool forever) {
#if ROTA_ASAN
    __sanitizer_start_switch_fiber(forever ? nullptr : &from.fake_stack, to.bottom, to.size);
#endif
#if ROTA_TSAN
    __tsan_switch_to_fiber(to.tsan, 0);
#endif
}

// The process ends while this memory is in use: objects that it points to are not leaks.
inline void fiber_keep([[maybe_unused]] const void* bottom, [[maybe_unused]] std::size_t size) {
#if ROTA_ASAN
    if (size > 0) __lsan_register_root_region(bottom, size);
#endif
}

ROTA_ALWAYS_INLINE void fiber_arrive([[maybe_unused]] fiber& self) {
#if ROTA_ASAN
    __sanitizer_finish_switch_fiber(self.fake_stack, nullptr, nullptr);
#endif
}

}  // namespace rota::rt
