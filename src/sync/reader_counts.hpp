// Counts the readers of locks by processor, in a table of counters: a row for each processor, a
// column for each lock whose readers are spread.
//
// A reader that comes or goes adds one to its column in the row of its processor, in a restartable
// sequence: no locked instruction, no line that another processor writes. It may leave on another
// processor, so only the sum of a column has a meaning, and only while no reader can add. A thread
// that wants the sum first shuts the column's gate and restarts every sequence
// (sys/thread/asymmetric.hpp). Arrivals and departures have a word each, since the next addition to
// a word waits for the one before, through memory.
//
// Alternatives: counters by p would have to be reached through the m, and would not count the
// threads of the program's own. A table of readers' names (BRAVO) needs the reader to find its own
// entry again when it leaves, which Go's interface has no place for.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arch/rseq.hpp"
#include "base/annotations.hpp"
#include "base/atomic.hpp"

namespace rota::rt {

struct reader_counts {
#if defined(ROTA_MODEL)
    static constexpr std::uint32_t column_shift = 1, row_max = 8;
#else
    static constexpr std::uint32_t column_shift = 8, row_max = 512;
#endif
    static constexpr std::uint32_t column_max = 1u << column_shift;
    struct readers_here {
        atomic<std::uint32_t> came{0}, left{0};
    };

    // Rows in use, at most row_max. Readers on further processors count themselves in the lock
    // itself. relaxed: set before the first column is given, and never changed.
    atomic<std::uint32_t> rows{0};

    // Writers: in a sequence, a reader of the column's lock writes the words of its processor's
    // row; the thread that has shut the gate writes every row. Each sequence is a release of the
    // reader's accesses, as every store of x86-64 is.
    alignas(cache_line) readers_here count[row_max][column_max] = {};

    // Bits of columns that are in use.
    alignas(cache_line) atomic<std::uint64_t> used[(column_max + 63) / 64] = {};
};
extern constinit reader_counts readers;

inline constexpr unsigned reader_row_shift = reader_counts::column_shift + 3;
static_assert(sizeof readers.count[0] == std::size_t{1} << reader_row_shift);

// A free column, numbered from 1, or 0: none is left, or this process has no restartable sequences.
[[nodiscard]] std::uint32_t reader_column_get();

// The sum of a column, which is free afterwards. Caller: has shut the column's gate and restarted
// the owners.
[[nodiscard]] std::int32_t reader_column_put(std::uint32_t column);

// Adds one to a word of the column on this processor, `word` in its first row, while `gate` says
// `column`. False: count elsewhere.
ROTA_ALWAYS_INLINE bool count_reader([[maybe_unused]] const atomic<std::uint32_t>& gate,
                                     [[maybe_unused]] std::uint32_t column,
                                     [[maybe_unused]] atomic<std::uint32_t>& word) {
#if ROTA_RSEQ
    // pairs(rwmutex.count)
    return rseq_add_here<reader_row_shift>(
        &gate, column, &word, readers.rows.load(memory_order_relaxed),  // relaxed: see above
        1);
#else
    return false;
#endif
}

}  // namespace rota::rt
