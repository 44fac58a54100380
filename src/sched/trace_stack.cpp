// The stacks of events.
//
// To unwind one takes some microseconds. But an event mostly has a stack that its m has seen
// before: the same function, called from the same places. Where the return addresses lay then,
// counted from the frame at the end, is noted with them; if they all lie there again it is the same
// stack, because the size of a frame follows from the address at which its function is: with the
// innermost address the place of the next is known, and so on. That costs one comparison a frame,
// and needs no frame pointers. (A function with frames of varying size keeps a new entry for each.)
// It is done where a call pushes its return address, which is x86-64; elsewhere every stack is
// unwound.
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
    static constexpr std::uint32_t set_count = 64, set_size = 4, function_count = 64;
    struct return_address {
        std::uintptr_t pc;
        std::uintptr_t above;  // bytes above the base
    };
    struct known_stack {
        std::uint32_t id;  // 0: none
        std::uint32_t n;
        std::uint32_t used_in;     // the generation that was told last that it is used
        std::uint32_t last_above;  // of the last one, where all of them lie within the stack
        return_address at[trace_depth_max];
    };
    struct known_function {
        entry_fn entry;
        std::uint32_t id;
    };
    known_stack stacks[set_count][set_size];
    std::uint32_t next_in[set_count];  // who is forgotten next
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
    u.to.at[u.to.n++] = {pc, sp - sizeof(void*) - u.base};
    return _URC_NO_REASON;
}

#if defined(__x86_64__)
// One that was forgotten, or never filled, has no number.
ROTA_READS_ANY_STACK bool is_there(const trace_cache::known_stack& k, std::uintptr_t base,
                                   std::uintptr_t room) {
    if (k.id == 0 || k.last_above > room) return false;
    const trace_cache::return_address* const end = k.at + k.n;
    for (const trace_cache::return_address* r = k.at; r != end; ++r) {
        if (*reinterpret_cast<const std::uintptr_t*>(base + r->above) != r->pc) return false;
    }
    return true;
}
#else
bool is_there(const trace_cache::known_stack&, std::uintptr_t, std::uintptr_t) { return false; }
#endif

// Null: there is no memory, and the trace ends for that.
trace_cache* cache_of(m& self) {
    if (ROTA_LIKELY(self.trace_known != nullptr)) return self.trace_known;
    self.trace_known =
        static_cast<trace_cache*>(mapped_pages_or_null(sizeof(trace_cache), mapped_for::traces));
    if (self.trace_known == nullptr) trace_chunks.drop(true);
    return self.trace_known;
}

std::uint64_t spread(std::uintptr_t v) { return v * 0x9e37'79b9'7f4a'7c15u >> 32; }

ROTA_NOINLINE void unwind(trace_cache::known_stack& to, std::uintptr_t base, std::uintptr_t end) {
    to.id = to.n = to.used_in = 0;
    unwinding u{to, base, end};
    _Unwind_Backtrace(note_frame, &u);
    if (to.n == 0) return;
    to.last_above = static_cast<std::uint32_t>(to.at[to.n - 1].above);
    std::uintptr_t pcs[trace_depth_max];
    for (std::uint32_t i = 0; i < to.n; ++i) pcs[i] = to.at[i].pc;
    to.id = trace_stacks.add(pcs, to.n);
}

}  // namespace

ROTA_NOINLINE std::uint32_t trace_stack(m& self) {
    if (!trace_log.stacks || self.curg->is_thread) return 0;
    trace_cache* const cache = cache_of(self);
    if (cache == nullptr) return 0;
    const auto base = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    const auto end = reinterpret_cast<std::uintptr_t>(self.curg->stack.hi);
    const auto from = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
    const std::uintptr_t room = end - base - sizeof(void*);
    const std::uint64_t set = spread(from ^ room) % trace_cache::set_count;
    trace_cache::known_stack* known = cache->stacks[set];
    trace_cache::known_stack* const last = known + trace_cache::set_size;
    while (known != last && !is_there(*known, base, room)) ++known;
    if (ROTA_UNLIKELY(known == last)) {
        known = cache->stacks[set] + cache->next_in[set]++ % trace_cache::set_size;
        unwind(*known, base, end);
    }
    if (ROTA_UNLIKELY(known->used_in != trace_log.generation)) {
        known->used_in = trace_log.generation;
        trace_stacks.use(known->id, trace_log.generation);
    }
    return known->id;
}

std::uint32_t trace_function(m* self, entry_fn entry) {
    const auto pc = reinterpret_cast<std::uintptr_t>(entry) + 1;  // as a return address
    trace_cache* const cache = self != nullptr ? cache_of(*self) : nullptr;
    if (cache == nullptr) return trace_stacks.add(&pc, 1);
    trace_cache::known_function& known = cache->functions[spread(pc) % trace_cache::function_count];
    if (known.entry == entry && known.id != 0) return known.id;
    known = {entry, trace_stacks.add(&pc, 1)};
    return known.id;
}

}  // namespace rota::rt
