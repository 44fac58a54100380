// The stacks of events.
//
// To unwind one takes some microseconds. But an event mostly has a stack that its m has seen
// before: the same function, called from the same places. Where the return addresses lay then,
// counted from the frame at the end, is noted with them; if they all lie there again it is the same
// stack, because the size of a frame follows from the address at which its function is. That costs
// one comparison a frame, and needs no frame pointers. (A function with frames of varying size
// keeps a new entry for each.) It is done where a call pushes its return address, which is x86-64;
// elsewhere every stack is unwound.
#include <unwind.h>

#include "core/getg.hpp"
#include "mem/mapped.hpp"
#include "sched/trace_events.hpp"
#include "trace/stacks.hpp"

#if ROTA_ASAN
#define ROTA_READS_ANY_STACK __attribute__((no_sanitize("address"), noinline))
#else
#define ROTA_READS_ANY_STACK ROTA_READS_RACING
#endif

namespace rota::rt {

// What one m has seen. Owner: the m. It begins as zeros, page by page as they are touched.
struct trace_cache {
    static constexpr std::uint32_t stack_count = 256, function_count = 64;
    struct known_stack {
        std::uint32_t id;  // 0: none
        std::uint32_t n;
        std::uint32_t at[trace_depth_max];  // bytes above the base
        std::uintptr_t pc[trace_depth_max];
    };
    struct known_function {
        entry_fn entry;
        std::uint32_t id;
    };
    known_stack stacks[stack_count];
    known_function functions[function_count];
};

namespace {

struct unwinding {
    trace_cache::known_stack& to;
    std::uintptr_t base, end;
};

_Unwind_Reason_Code note_frame(_Unwind_Context* context, void* arg) {
    auto& u = *static_cast<unwinding*>(arg);
    const std::uintptr_t pc = _Unwind_GetIP(context);
    const std::uintptr_t sp = _Unwind_GetCFA(context);
    if (sp <= u.base) return _URC_NO_REASON;  // our own frames
    if (pc == 0 || sp > u.end || u.to.n == trace_depth_max) return _URC_END_OF_STACK;
    u.to.at[u.to.n] = static_cast<std::uint32_t>(sp - sizeof(void*) - u.base);
    u.to.pc[u.to.n++] = pc;
    return _URC_NO_REASON;
}

#if defined(__x86_64__)
ROTA_READS_ANY_STACK bool is_there(const trace_cache::known_stack& k, std::uintptr_t base,
                                   std::uintptr_t end) {
    if (k.id == 0 || base + k.at[k.n - 1] + sizeof(void*) > end) return false;
    for (std::uint32_t i = 0; i < k.n; ++i) {
        if (*reinterpret_cast<const std::uintptr_t*>(base + k.at[i]) != k.pc[i]) return false;
    }
    return true;
}
#else
bool is_there(const trace_cache::known_stack&, std::uintptr_t, std::uintptr_t) { return false; }
#endif

trace_cache& cache_of(m& self) {
    if (self.trace_known == nullptr)
        self.trace_known = static_cast<trace_cache*>(mapped_pages(sizeof(trace_cache)));
    return *self.trace_known;
}

std::uint64_t spread(std::uintptr_t v) { return v * 0x9e37'79b9'7f4a'7c15u >> 32; }

}  // namespace

ROTA_NOINLINE std::uint32_t trace_stack(m& self) {
    if (!trace_log.stacks || self.curg->is_thread) return 0;
    const auto base = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    const auto end = reinterpret_cast<std::uintptr_t>(self.curg->stack.hi);
    const auto from = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
    const std::uint64_t key = spread(from ^ (end - base));
    trace_cache::known_stack& known = cache_of(self).stacks[key % trace_cache::stack_count];
    if (ROTA_LIKELY(is_there(known, base, end))) return known.id;
    known.n = 0;
    known.id = 0;
    unwinding u{known, base, end};
    _Unwind_Backtrace(note_frame, &u);
    if (known.n != 0) known.id = trace_stacks.add(known.pc, known.n);
    return known.id;
}

std::uint32_t trace_function(m& self, entry_fn entry) {
    const auto pc = reinterpret_cast<std::uintptr_t>(entry) + 1;  // as a return address
    trace_cache::known_function& known =
        cache_of(self).functions[spread(pc) % trace_cache::function_count];
    if (known.entry != entry) known = {entry, trace_stacks.add(&pc, 1)};
    return known.id;
}

}  // namespace rota::rt
