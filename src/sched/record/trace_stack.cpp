// Unwinds the stacks that an m does not remember, and caches them.
#include "sched/record/trace_stack.hpp"

#include <cstring>

#include <unwind.h>

#include "core/getg.hpp"
#include "mem/mapped.hpp"

namespace rota::rt {

namespace {

struct unwinding {
    trace_cache::known_stack& to;
    std::uintptr_t base, end;
};

_Unwind_Reason_Code note_frame(_Unwind_Context* context, void* arg) {
    auto& u = *static_cast<unwinding*>(arg);
    const std::uintptr_t pc = _Unwind_GetIP(context);
    const std::uintptr_t sp = _Unwind_GetCFA(context);
    if (sp <= u.base) return _URC_NO_REASON;  // frames of the tracer
    if (pc == 0 || sp > u.end || u.to.n == trace_depth_max) return _URC_END_OF_STACK;
    u.to.at[u.to.n++] = {pc, sp - sizeof(void*) - u.base};
    return _URC_NO_REASON;
}

// Null: there is no memory, and the trace ends for that reason.
trace_cache* cache_of(m& self) {
    if (ROTA_LIKELY(self.trace_known != nullptr)) return self.trace_known;
    self.trace_known =
        static_cast<trace_cache*>(mapped_pages_or_null(sizeof(trace_cache), mapped_for::traces));
    if (self.trace_known == nullptr) trace_chunks.drop(true);
    return self.trace_known;
}

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

std::uint32_t trace_stack_anew(m& self, std::uintptr_t base, std::uintptr_t from) {
    trace_cache* const cache = cache_of(self);
    if (cache == nullptr) return 0;
    const auto end = reinterpret_cast<std::uintptr_t>(self.curg->stack.hi);
    const std::uintptr_t room = end - base - sizeof(void*);
    const std::uint64_t set = trace_cache::set_of(from, room);
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

ROTA_NOINLINE std::uint32_t trace_stack(m& self) { return trace_stack_here(self); }

// Byte by byte: a value that changes meanwhile is not used, and tsan must not look.
ROTA_READS_RACING trace_beginning beginning_of(const g& gp) {
    trace_beginning b;
    b.words[0] = reinterpret_cast<std::uintptr_t>(function_of(gp)) + 1;  // as a return address
    b.n = 1;
    const std::string_view name = name_of(gp);
    std::uint32_t size = 0;
    while (size < name.size() && size < trace_beginning::name_max && name[size] != '\0') {
        std::uintptr_t& word = b.words[2 + size / sizeof word];
        if (size % sizeof word == 0) word = 0;
        reinterpret_cast<char*>(b.words + 2)[size] = name[size];
        ++size;
    }
    if (size == 0) return b;
    b.words[1] = trace_beginning::named + size;
    constexpr std::uint32_t word_size = sizeof b.words[0];
    b.n = 2 + (size + word_size - 1) / word_size;
    return b;
}

std::uint32_t trace_function(m* self, const trace_beginning& of) {
    trace_cache* const cache = self != nullptr ? cache_of(*self) : nullptr;
    if (cache == nullptr) return trace_stacks.add(of);
    std::uint64_t hash = 0;
    for (std::uint32_t i = 0; i < of.n; ++i) hash = trace_cache::spread(hash ^ of.words[i]);
    std::uint32_t& known = cache->beginnings[hash % trace_cache::beginning_count];
    if (known != 0 && trace_stacks.depth(known) == of.n &&
        std::memcmp(trace_stacks.frames(known), of.words, of.n * sizeof of.words[0]) == 0)
        return known;
    known = trace_stacks.add(of);
    return known;
}

}  // namespace rota::rt
