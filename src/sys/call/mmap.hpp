// Takes memory from the kernel: reserved, committed on touch, given back, guarded. Results are
// errno values.
#pragma once

#include <cstddef>

namespace rota::rt {

inline constexpr std::size_t page_size = 4096;

// Reserves `size` bytes, readable and writable, committed page by page on touch, never as huge
// pages. Null if refused.
[[nodiscard]] void* mmap_reserve(std::size_t size);
void mmap_free(void* start, std::size_t size);

// Gives the pages back; they read as zero afterwards. A guard inside the range stays.
void mmap_decommit(void* start, std::size_t size);

// Makes the range fault on access, without a mapping of its own (Linux 6.13 and later). Returns 0
// or an errno value.
[[nodiscard]] int mmap_guard(void* start, std::size_t size);

// The same for `count` ranges of `size` bytes, `stride` apart, in one call (Linux 6.15 and later):
// a third of the price each. Returns 0, or an errno value with only a part of them guarded, or
// none. Guarding a range again is harmless.
inline constexpr std::size_t advice_batch_max = 32;
[[nodiscard]] int mmap_guard_many(void* first, std::size_t stride, std::size_t size,
                                  std::size_t count);

// Commits `count` ranges, as a touch would, in one call. Returns 0, or an errno value with only a
// part of them committed, or none: the rest is committed on touch.
int mmap_populate_many(void* first, std::size_t stride, std::size_t size, std::size_t count);

// How many bytes at the beginning of the range, in whole pages, have never been touched or were
// given back: up to its first page in memory. A page in the swap counts as given back.
std::size_t mmap_untouched(void* start, std::size_t size);

// mmap_guard at the price of two mappings. Returns 0 or an errno value.
[[nodiscard]] int mmap_protect_none(void* start, std::size_t size);

// The room that the limits of the process (RLIMIT_AS, RLIMIT_DATA) leave for further mappings, by
// the tighter limit. Without a limit `limit` and `left` are 0.
struct address_space {
    bool is_limited = false;
    std::size_t limit = 0;  // bytes in total
    std::size_t left = 0;   // bytes that are not in use
};
address_space read_address_space();

// The kernel's bound on mappings (vm.max_map_count); its default if it cannot be read.
long max_map_count();

}  // namespace rota::rt
