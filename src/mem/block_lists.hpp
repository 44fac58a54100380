// Keeps small blocks, aligned to a cache line, for the next request of that size. They are the
// memory of channels and timers, which a program makes and drops by the million.
//
// malloc keeps no list of aligned blocks: each costs it a search, 120 ns for the block and its way
// back. Here each p has two chains of up to 32 blocks for every size in cache lines up to 512
// bytes. So a goroutine that makes and drops around a full chain exchanges it once in 32 times.
// Full chains pass through a pool that the ps share, 32 of a size. Chains beyond that go to malloc,
// and blocks that no list has come from malloc. So a block may be given back anywhere, and a block
// that no list has made may be kept.
//
//     made here, dropped there:   p's chains ──full one──► pool ──► another p's chains
//                                            ──the pool is full, or busy──► malloc
//
// After: Bonwick and Adams, Magazines and Vmem. Go: mcache, mcentral.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "base/annotations.hpp"

namespace rota::rt {

struct spare_block {
    spare_block* next;
    spare_block* next_chain;  // only of a chain's first block in the pool; guarded by its lock
};

// The lists of one p. Not synchronised: only the owner of the p uses them.
class block_lists {
  public:
    static constexpr std::size_t size_max = 512;
    static constexpr std::size_t classes = size_max / cache_line;
    static constexpr std::uint32_t chain_length = 32;

    // A block of at least `bytes`, 1 to size_max, or null: there is none. Never calls malloc.
    [[nodiscard]] void* take(std::size_t bytes) {
        list& l = of(bytes);
        if (ROTA_UNLIKELY(l.count == 0) && !refill(l)) return nullptr;
        spare_block* const b = l.first;
        l.first = b->next;
        --l.count;
        return b;
    }

    // Keeps a block that may hold `bytes`. Returns a chain that has no room, which the caller gives
    // back to malloc; null: there is none.
    [[nodiscard]] spare_block* keep(void* block, std::size_t bytes) {
        list& l = of(bytes);
        spare_block* const too_many = ROTA_UNLIKELY(l.count == chain_length) ? pass_on(l) : nullptr;
        l.first = new (block) spare_block{l.first, nullptr};
        ++l.count;
        return too_many;
    }

    // The size of a block for `bytes`.
    static constexpr std::size_t rounded(std::size_t bytes) {
        return (bytes + cache_line - 1) / cache_line * cache_line;
    }

  private:
    struct list {
        spare_block* first = nullptr;
        spare_block* full = nullptr;  // a second chain, of chain_length, or null
        std::uint32_t count = 0;      // blocks from `first` on
    };
    static std::size_t class_of(std::size_t bytes) { return (bytes - 1) / cache_line; }
    list& of(std::size_t bytes) { return lists_[class_of(bytes)]; }

    bool refill(list& l);
    spare_block* pass_on(list& l);

    list lists_[classes];
};

}  // namespace rota::rt
