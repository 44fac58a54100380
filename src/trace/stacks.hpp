// The table of stacks: each sequence of return addresses that an event names has a number.
//
// A number stays for the life of the process; a generation writes down those that its events have
// named. There is room for 65,535; stacks beyond are not told apart, and are counted.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/annotations.hpp"
#include "base/atomic.hpp"
#include "sys/lock.hpp"

namespace rota::rt {

inline constexpr std::uint32_t trace_depth_max = 32;

// The stack of a goroutine that has not begun: the function that it runs, and the goroutine's name.
// The table keeps its words like return addresses. The first is an address within the function. If
// there is a name, the second is `named` and the name's size, and the name's bytes follow.
struct trace_beginning {
    static constexpr std::uintptr_t named = ~std::uintptr_t{0xff};  // no code lies there
    static constexpr std::uint32_t name_max = 128;

    std::uintptr_t words[2 + name_max / sizeof(std::uintptr_t)];
    std::uint32_t n;

    // The name in n words of the table; empty: they are no beginning, or one without a name.
    static std::string_view name_in(const std::uintptr_t* words, std::uint32_t n) {
        if (n < 3 || words[1] <= named) return {};
        return {reinterpret_cast<const char*>(words + 2), words[1] - named};
    }
};

class trace_stack_table {
  public:
    static constexpr std::uint32_t id_max = 65'535;
    // Beginnings with names: a program that names each goroutine differently leaves room for
    // others.
    static constexpr std::uint32_t named_max = 8'192;

    constexpr trace_stack_table() = default;

    // The number of the stack, innermost first; 0 if the table is full, or memory is refused, which
    // ends the trace. Takes: mu.
    std::uint32_t add(const std::uintptr_t* pcs, std::uint32_t n);
    // The same where no trace depends on it: refused memory ends none.
    std::uint32_t try_add(const std::uintptr_t* pcs, std::uint32_t n);

    // As add. Without the name, if there are named_max others.
    std::uint32_t add(const trace_beginning& of);

    // An event of that generation names the stack. Any thread; no number is told apart from no
    // stack.
    void use(std::uint32_t id, std::uint32_t generation) {
        if (id == 0) return;
        // relaxed, both: read when the generation is over
        atomic<std::uint32_t>& used = entries_[id].used_in[generation % 2];
        if (used.load(memory_order_relaxed) != generation)
            used.store(generation, memory_order_relaxed);
    }

    // How many there are. Takes: mu.
    std::uint32_t size();
    // One of them, and whether an event of that generation has named it. Caller: the generation is
    // over, and the next one is not.
    bool is_used(std::uint32_t id, std::uint32_t generation) const {
        // relaxed: see use
        return entries_[id].used_in[generation % 2].load(memory_order_relaxed) == generation;
    }
    // For who has the number from where no order came with it: whether the stack may be read. False
    // as well while it is being added.
    bool is_there(std::uint32_t id) const {
        return id <= published_.load(memory_order_acquire);  // pairs(stacks.published)
    }
    const std::uintptr_t* frames(std::uint32_t id) const { return entries_[id].pcs; }
    std::uint32_t depth(std::uint32_t id) const { return entries_[id].n; }

    // Stacks that found no room.
    std::uint64_t lost();

  private:
    std::uint32_t find_or_add(const std::uintptr_t* pcs, std::uint32_t n, bool& refused);

    struct entry {
        const std::uintptr_t* pcs;  // null: the number is free
        std::uint32_t n;
        std::uint32_t next;                // of the same bucket; 0: the last
        atomic<std::uint32_t> used_in[2];  // the last even and the last odd generation
    };
    static constexpr std::uint32_t bucket_count = 16'384;

    lock mu_{lock_rank::trace_store};
    entry* entries_ = nullptr;  // mapped by the first add; fixed from then on
    std::uint32_t* buckets_ ROTA_GUARDED_BY(mu_) = nullptr;
    std::uint32_t count_ ROTA_GUARDED_BY(mu_) = 0;
    std::uint32_t named_count_ ROTA_GUARDED_BY(mu_) = 0;
    // Those whose entries are complete: count_ again.
    atomic<std::uint32_t> published_{0};
    std::uint64_t lost_ ROTA_GUARDED_BY(mu_) = 0;
};
inline constinit trace_stack_table trace_stacks;

}  // namespace rota::rt
