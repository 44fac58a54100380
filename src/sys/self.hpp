// The one thread-local slot of the runtime: what this thread is to it.
//
// It is read by value through volatile assembly, because both gcc and clang keep addresses of
// thread-locals across a call, and a goroutine may come back from a call on another thread. The
// slot holds a self_header*, which is the first base of core/m.hpp's m; null on a thread that has
// not used rota yet.
#pragma once

#include <cstddef>
#include <cstdint>

#include <rota/detail/preempt.hpp>

#include "base/annotations.hpp"
#include "base/atomic.hpp"
#include "base/lock_rank.hpp"

namespace rota::rt {

// What the rooms below core/ may know of an m. Owner: the thread itself.
struct self_header {
    static constexpr std::uint32_t held_max = 16;
    std::uint32_t held_count = 0;
    lock_rank held[held_max] = {};
    const void* held_at[held_max] = {};
    // Anyone writes: the goroutine that runs here is asked to yield. relaxed: advice. Programs read
    // it where preempt_point stands in their loops.
    atomic<bool> preempt{false};
};
static_assert(offsetof(self_header, preempt) == rota::detail::preempt_offset);

ROTA_ALWAYS_INLINE self_header* self() {
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
    return static_cast<self_header*>(slot);
}

void set_self(self_header* header);

// `end` runs on each thread that called this, when that thread ends, with the thread's header. A
// null header takes that back for the calling thread.
void at_thread_end(self_header* header, void (*end)(self_header*));

}  // namespace rota::rt
