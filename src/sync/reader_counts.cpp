// Gives out and takes back the columns of the table of reader counts.
#include "sync/reader_counts.hpp"

#include <bit>

#include <unistd.h>

#include "sys/thread/asymmetric.hpp"

namespace rota::rt {

constinit reader_counts readers;

namespace {

std::uint32_t rows_of_this_machine() {
#if defined(ROTA_MODEL)
    return reader_counts::row_max;
#else
    const long n = sysconf(_SC_NPROCESSORS_CONF);
    if (n < 1) return 1;
    return n < long{reader_counts::row_max} ? static_cast<std::uint32_t>(n)
                                            : reader_counts::row_max;
#endif
}

}  // namespace

std::uint32_t reader_column_get() {
    if (!asymmetric.owner.load(memory_order_acquire)) return 0;  // pairs(asymmetric.on)
    for (std::uint32_t i = 0; i * 64 < reader_counts::column_max; ++i) {
        std::uint64_t seen = readers.used[i].load(memory_order_relaxed);  // relaxed: tried below
        for (;;) {
            const auto bit = static_cast<std::uint32_t>(std::countr_one(seen));
            if (bit == 64 || i * 64 + bit >= reader_counts::column_max) break;
            if (!readers.used[i].compare_exchange(seen, seen | std::uint64_t{1} << bit,
                                                  memory_order_acquire,   // pairs(rwmutex.column)
                                                  memory_order_relaxed))  // relaxed: tried again
                continue;
            // relaxed: every writer stores the same value; the lock's gate publishes it
            if (readers.rows.load(memory_order_relaxed) == 0)
                readers.rows.store(rows_of_this_machine(), memory_order_relaxed);
            return i * 64 + bit + 1;
        }
    }
    return 0;
}

std::int32_t reader_column_put(std::uint32_t column) {
    const std::uint32_t at = column - 1;
    std::uint32_t sum = 0;
    const std::uint32_t rows = readers.rows.load(memory_order_relaxed);  // relaxed: never changes
    for (std::uint32_t row = 0; row < rows; ++row) {
        auto& here = readers.count[row][at];
        const std::uint32_t came = here.came.load(memory_order_acquire);  // pairs(rwmutex.count)
        const std::uint32_t left = here.left.load(memory_order_acquire);  // pairs(rwmutex.count)
        if ((came | left) == 0) continue;
        sum += came - left;
        here.came.store(0, memory_order_relaxed);  // relaxed: the last line publishes it
        here.left.store(0, memory_order_relaxed);  // relaxed: as above
    }
    readers.used[at / 64].fetch_and(~(std::uint64_t{1} << at % 64),
                                    memory_order_release);  // pairs(rwmutex.column)
    return static_cast<std::int32_t>(sum);
}

}  // namespace rota::rt
