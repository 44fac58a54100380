// Door: memory for small objects that are made and dropped all the time, from the lists of the
// caller's p (mem/block_lists).
#pragma once

#include <cstddef>

namespace rota::rt {

// What a block is given of the memory: with the word behind it, which glibc's malloc gives with it
// anyway, and in which it leaves pointers of its own.
[[nodiscard]] std::size_t block_extent(std::size_t bytes);

// Memory aligned to a cache line. Throws std::bad_alloc. Any thread; never yields.
[[nodiscard]] void* block_new(std::size_t bytes);

// Gives it back. `bytes`: as it was asked for. Any thread; never yields.
void block_delete(void* block, std::size_t bytes) noexcept;

}  // namespace rota::rt
