// The table of stacks: gives a number to each sequence of return addresses that an event names.
//
// A number stays for the life of the process. A generation writes the stacks that its events have
// named. There is room for 65,535 stacks; further stacks share the number 0 and are counted.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/annotations.hpp"
#include "base/atomic.hpp"
#include "sys/thread/lock.hpp"

namespace rota::rt {

inline constexpr std::uint32_t trace_depth_max = 32;

// The stack of a goroutine that has not begun: the function that it runs, and the goroutine's name.
// The table keeps its words like return addresses. The first is an address within the function. If
// there is a name, the second is `named` plus the name's size, and the name's bytes follow.
struct trace_beginning {
    static constexpr std::uintptr_t named = ~std::uintptr_t{0xff};  // no code lies there
    static constexpr std::uint32_t name_max = 128;

    std::uintptr_t words[2 + name_max / sizeof(std::uintptr_t)];
    std::uint32_t n;

    // The name in n words of the table. Empty: they are no beginning, or a beginning without a
    // name.
    static std::string_view name_in(const std::uintptr_t* words, std::uint32_t n) {
        if (n < 3 || words[1] <= named) return {};
        return {reinterpret_cast<const char*>(words + 2), words[1] - named};
    }
};

class trace_stack_table {
  public:
    static constexpr std::uint32_t id_max = 65'535;
    // Limit of beginnings with names: a program that names each goroutine differently leaves room
    // for other stacks.
    static constexpr std::uint32_t named_max = 8'192;

    constexpr trace_stack_table() = default;

    // Returns the number of the stack, given innermost first. 0: the table is full, or memory is
    // refused, which ends the trace. Takes: mu.
    std::uint32_t add(const std::uintptr_t* pcs, std::uint32_t n);
    // As add, for a caller outside a trace: refused memory does not end the trace.
    std::uint32_t try_add(const std::uintptr_t* pcs, std::uint32_t n);

    // As add. Drops the name if there are named_max named beginnings already.
    std::uint32_t add(const trace_beginning& of);

    // Notes that an event of that generation names the stack. Any thread. Number 0 means no stack.
    void use(std::uint32_t id, std::uint32_t generation) {
        if (id == 0) return;
        // relaxed, both: read when the generation is over
        atomic<std::uint32_t>& used = entries_[id].used_in[generation % 2];
        if (used.load(memory_order_relaxed) != generation)
            used.store(generation, memory_order_relaxed);
    }

    // The number of stacks. Takes: mu.
    std::uint32_t size();
    // Whether an event of that generation has named the stack. Caller: that generation is over, and
    // the generation after it has not ended.
    bool is_used(std::uint32_t id, std::uint32_t generation) const {
        // relaxed: see use
        return entries_[id].used_in[generation % 2].load(memory_order_relaxed) == generation;
    }
    // For a reader that got the number without synchronisation: whether the stack may be read.
    // Also false while the stack is being added.
    bool is_there(std::uint32_t id) const {
        return id <= published_.load(memory_order_acquire);  // pairs(stacks.published)
    }
    const std::uintptr_t* frames(std::uint32_t id) const { return entries_[id].pcs; }
    std::uint32_t depth(std::uint32_t id) const { return entries_[id].n; }

    // The number of stacks that found no room.
    std::uint64_t lost();

  private:
    std::uint32_t find_or_add(const std::uintptr_t* pcs, std::uint32_t n, bool& refused);

    struct entry {
        const std::uintptr_t* pcs;  // null: the number is free
        std::uint32_t n;
        std::uint32_t next;                // next entry of the same bucket; 0: none
        atomic<std::uint32_t> used_in[2];  // the last even and the last odd generation
    };
    static constexpr std::uint32_t bucket_count = 16'384;

    lock mu_{lock_rank::trace_store};
    entry* entries_ = nullptr;  // mapped by the first add, fixed afterwards
    std::uint32_t* buckets_ ROTA_GUARDED_BY(mu_) = nullptr;
    std::uint32_t count_ ROTA_GUARDED_BY(mu_) = 0;
    std::uint32_t named_count_ ROTA_GUARDED_BY(mu_) = 0;
    // count_ again: the number of complete entries.
    atomic<std::uint32_t> published_{0};
    std::uint64_t lost_ ROTA_GUARDED_BY(mu_) = 0;
};
inline constinit trace_stack_table trace_stacks;

}  // namespace rota::rt
