// The block and mutex profiles: records how long goroutines have waited, by stack.
//
// With a profile off, its cost is one test: where a goroutine parks, or where an unlock readies a
// waiter. Tables grow with the number of different stacks and are never freed. Go: mprof.go.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/annotations.hpp"
#include "mem/mapped.hpp"
#include "sys/thread/lock.hpp"
#include "trace/own_stack.hpp"

namespace rota::rt {

class stack_table {
  public:
    struct entry {
        std::size_t first;  // index of its first pc in the table's array
        std::uint32_t size;
        std::uint32_t next;  // next entry of the same chain; 0: none
        std::uint64_t hash;
        double count;
        double ns;
    };

    constexpr stack_table() = default;

    // Adds `count` and `ns` to the record of the caller's stack. Caller: inside a runtime_entry,
    // holds no lock. Takes: its own lock, and mapped.
    void add(double count, double ns);

    // The number of records and of their pcs, at some moment of the call.
    struct extent {
        std::size_t entries, pcs;
    };
    extent size();

    // The table's part of mapped_bytes().
    std::size_t mapped();

    // Copies as many records as fit and returns their number. Caller: as for add.
    struct copied {
        std::size_t first;
        std::uint32_t size;
        double count, ns;
    };
    std::size_t copy(copied* out, std::size_t entries, std::uintptr_t* pcs, std::size_t pcs_room);

  private:
    static constexpr std::size_t chain_count = 1024;

    entry& find_or_add(const std::uintptr_t* pcs, std::size_t n) ROTA_REQUIRES(mu_);

    lock mu_{lock_rank::profile};
    std::uint32_t chains_[chain_count] ROTA_GUARDED_BY(mu_) = {};  // index + 1; 0: empty
    mapped_array<entry> entries_ ROTA_GUARDED_BY(mu_);
    mapped_array<std::uintptr_t> pcs_ ROTA_GUARDED_BY(mu_);
};

struct contention_t {
    // Written by the program; relaxed, plain fields: a setting that every park reads.
    std::int64_t block_rate = 0;      // ns; 0: off
    std::int64_t mutex_fraction = 0;  // samples one event in this many; 0: off
    stack_table blocked;
    stack_table held;
};
inline constinit contention_t contention;

ROTA_ALWAYS_INLINE std::int64_t block_rate() {
    return __atomic_load_n(&contention.block_rate, __ATOMIC_RELAXED);
}
ROTA_ALWAYS_INLINE std::int64_t mutex_fraction() {
    return __atomic_load_n(&contention.mutex_fraction, __ATOMIC_RELAXED);
}

// Records, if `random` selects it, that the caller has been blocked for `ns`. Caller: as for
// stack_table::add. Go: blockevent, mutexevent.
ROTA_COLD void note_blocked(std::int64_t ns, std::uint64_t random);
// Records, likewise, that the caller has released a waiter that had waited for `ns`.
ROTA_COLD void note_held_up(std::int64_t ns, std::uint64_t random);

}  // namespace rota::rt
