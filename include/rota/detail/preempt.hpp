// Reads whether the scheduler has asked the calling thread's goroutine to yield: one byte of the
// thread's record, read without a call.
#pragma once

#include <cstddef>
#include <cstdint>

#include <rota/detail/exceptions.hpp>

extern "C" {
// The calling thread's record in the runtime; null if the thread has not used rota. Only assembly
// reads it: a compiler would keep its address across a call, and a goroutine may return from the
// call on another thread.
extern __attribute__((tls_model("initial-exec"))) thread_local void* rota_self_slot;
}

namespace rota::detail {

inline constexpr std::size_t preempt_offset = 152;  // of the byte in the record

// Returns the slot's value, read anew by each call.
inline __attribute__((always_inline)) void* self_slot() noexcept {
    void* slot = nullptr;
#if defined(__x86_64__)
    asm volatile("movq rota_self_slot@gottpoff(%%rip), %0\n\t"
                 "movq %%fs:(%0), %0"
                 : "=r"(slot));
#elif defined(__aarch64__)
    std::uintptr_t offset = 0;
    asm volatile("adrp %1, :gottprel:rota_self_slot\n\t"
                 "ldr %1, [%1, #:gottprel_lo12:rota_self_slot]\n\t"
                 "mrs %0, tpidr_el0\n\t"
                 "ldr %0, [%0, %1]"
                 : "=&r"(slot), "=&r"(offset));
#endif
    return slot;
}

inline __attribute__((always_inline)) bool is_preempt_wanted() noexcept {
    const void* const slot = self_slot();
    // relaxed: the byte is advice
    return slot != nullptr &&
           __atomic_load_n(static_cast<const bool*>(slot) + preempt_offset, __ATOMIC_RELAXED);
}

// Yields if the request to yield still stands.
void preempt_here();

}  // namespace rota::detail
