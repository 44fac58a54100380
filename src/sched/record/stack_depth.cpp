// Keeps the table of places and their deepest stacks.
#include "sched/record/stack_depth.hpp"

namespace rota::rt {

namespace {

// Written by an m at the end of each goroutine. The figures are independent: relaxed, each.
struct record {
    atomic<std::uint64_t> key{0};  // the place and the class; 0: free. Written once
    atomic<const void*> entry{nullptr};
    atomic<std::uint64_t> goroutines{0};
    atomic<std::uint64_t> deepest{0};  // bytes; grows only
};
constexpr std::size_t records_max = 1024;  // the last record is for places that found no room
constinit record records[records_max];

constexpr int address_bits = 48;  // of a user-space address
constexpr std::uint64_t other_places = 1;

std::uint64_t key_of(std::uint64_t address, std::uint8_t cls) {
    return address | (std::uint64_t{cls} << address_bits);
}

// Finds the record of the key, or takes the first free record behind its place for it.
record& record_of(std::uint64_t key) {
    constexpr std::uint64_t spread = 0x9e3779b97f4a7c15;  // 2^64 divided by the golden ratio
    const std::size_t first = (key * spread) >> 54;       // 10 bits
    static_assert(records_max == 1 << 10);
    for (std::size_t i = 0; i + 1 < records_max; ++i) {
        record& r = records[(first + i) % (records_max - 1)];
        std::uint64_t seen = r.key.load(memory_order_relaxed);  // relaxed: see record
        if (seen == key) return r;
        if (seen != 0) continue;
        if (r.key.compare_exchange(seen, key, memory_order_relaxed, memory_order_relaxed) ||
            seen == key)  // relaxed, above: see record
            return r;
    }
    record& rest = records[records_max - 1];
    rest.key.store(other_places, memory_order_relaxed);  // relaxed: see record
    return rest;
}

}  // namespace

void note_stack_depth(g& gp) {
    if (gp.entry == nullptr) return;  // it was made and has not run: spawn_abort
    const auto address = reinterpret_cast<std::uintptr_t>(gp.created_at.address());
    record& r = record_of(key_of(address, gp.stack.cls));
    const std::uint64_t depth = stack_depth(gp.stack);
    // relaxed, each: see record
    r.entry.store(function_of(gp), memory_order_relaxed);
    r.goroutines.fetch_add(1, memory_order_relaxed);
    std::uint64_t before = r.deepest.load(memory_order_relaxed);
    while (before < depth &&
           !r.deepest.compare_exchange(before, depth, memory_order_relaxed, memory_order_relaxed)) {
    }
    stack_forget_depth(gp.stack);
    gp.entry = nullptr;
}

void for_each_stack_depth(void (*visit)(const depth_of_place&, void*), void* arg) {
    for (const record& r : records) {
        // relaxed, each: see record
        const std::uint64_t key = r.key.load(memory_order_relaxed);
        depth_of_place d;
        d.goroutines = r.goroutines.load(memory_order_relaxed);
        if (key == 0 || d.goroutines == 0) continue;
        constexpr std::uint64_t address_mask = (std::uint64_t{1} << address_bits) - 1;
        const std::uint64_t address = key == other_places ? 0 : key & address_mask;
        d.created_at = reinterpret_cast<const void*>(address);
        d.entry = key == other_places ? nullptr : r.entry.load(memory_order_relaxed);
        d.deepest = r.deepest.load(memory_order_relaxed);
        d.cls = static_cast<std::uint8_t>(key >> address_bits);
        visit(d, arg);
    }
}

}  // namespace rota::rt
