// Finds the number of an event's stack, without unwinding where the m has seen it before.
//
// To unwind a stack takes some microseconds. But an event mostly has a stack that its m has seen
// before: the same function, called from the same places. The cache notes where the return
// addresses lay, counted from the frame at the end. If every address lies there again it is the
// same stack, because the size of a frame follows from the function's address: the innermost
// address gives the place of the next, and so on. That costs one comparison a frame, and needs no
// frame pointers. (A function with frames of varying size keeps a new entry for each size.) It is
// done where a call pushes its return address, which is x86-64; elsewhere every stack is unwound.
#pragma once

#include <cstdint>

#include "base/annotations.hpp"
#include "core/g.hpp"
#include "core/m.hpp"
#include "sched/record/trace_log.hpp"
#include "trace/stacks.hpp"

#if ROTA_ASAN
#define ROTA_READS_ANY_STACK __attribute__((no_sanitize("address"), noinline))
#else
#define ROTA_READS_ANY_STACK ROTA_READS_RACING
#endif

namespace rota::rt {

// The stacks that one m has seen. Owner: the m. It begins as zeros, page by page as they are
// touched.
struct trace_cache {
    static constexpr std::uint32_t set_count = 64, set_size = 4, beginning_count = 64;
    struct return_address {
        std::uintptr_t pc;
        std::uintptr_t above;  // bytes above the base
    };
    struct known_stack {
        std::uint32_t id;  // 0: none
        std::uint32_t n;
        std::uint32_t used_in;     // the last generation that was told of its use
        std::uint32_t last_above;  // of the last address, where every address lies within the stack
        return_address at[trace_depth_max];
    };
    known_stack stacks[set_count][set_size];
    std::uint32_t next_in[set_count];           // index of the next entry to be replaced
    std::uint32_t beginnings[beginning_count];  // numbers of stacks; 0: none

    static std::uint64_t set_of(std::uintptr_t from, std::uintptr_t room) {
        return spread(from ^ room) % set_count;
    }
    static std::uint64_t spread(std::uintptr_t v) { return v * 0x9e37'79b9'7f4a'7c15u >> 32; }
};

#if defined(__x86_64__)
// Whether the stack at base is k. An entry that was forgotten, or never filled, has no number.
ROTA_READS_ANY_STACK inline bool is_there(const trace_cache::known_stack& k, std::uintptr_t base,
                                          std::uintptr_t room) {
    if (k.id == 0 || k.last_above > room) return false;
    const trace_cache::return_address* const end = k.at + k.n;
    for (const trace_cache::return_address* r = k.at; r != end; ++r) {
        if (*reinterpret_cast<const std::uintptr_t*>(base + r->above) != r->pc) return false;
    }
    return true;
}
#else
inline bool is_there(const trace_cache::known_stack&, std::uintptr_t, std::uintptr_t) {
    return false;
}
#endif

// Returns the number of a stack above `base` that self does not remember, or has not told yet in
// this generation.
std::uint32_t trace_stack_anew(m& self, std::uintptr_t base, std::uintptr_t from);

// As trace_stack, from the frame that this is compiled into.
ROTA_ALWAYS_INLINE std::uint32_t trace_stack_here(m& self) {
    if (!trace_log.stacks || self.curg->is_thread) return 0;
    const auto base = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    const auto from = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
    const trace_cache* const cache = self.trace_known;
    if (ROTA_LIKELY(cache != nullptr)) {
        const std::uintptr_t room =
            reinterpret_cast<std::uintptr_t>(self.curg->stack.hi) - base - sizeof(void*);
        const trace_cache::known_stack* known = cache->stacks[trace_cache::set_of(from, room)];
        const trace_cache::known_stack* const last = known + trace_cache::set_size;
        do {
            if (is_there(*known, base, room) && ROTA_LIKELY(known->used_in == trace_log.generation))
                return known->id;
        } while (++known != last);
    }
    return trace_stack_anew(self, base, from);
}

// Returns the number of the calling goroutine's stack, which is told to be used in this generation;
// 0 on other stacks, or where stacks are not wanted. A stack that the m has seen before is
// recognised by its return addresses, which are looked for where they were; an unknown stack is
// unwound.
std::uint32_t trace_stack(m& self);
// The stack of a goroutine that has not begun; `self` may be null. Another goroutine may be ending
// meanwhile: the result of beginning_of is not used then.
trace_beginning beginning_of(const g& gp);
std::uint32_t trace_function(m* self, const trace_beginning& of);

}  // namespace rota::rt
