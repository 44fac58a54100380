// Door: memory for small objects that are made and dropped all the time, from the lists of the
// caller's p (mem/block_lists).
#pragma once

#include <cstddef>

namespace rota::rt {

// Memory aligned to a cache line. Throws std::bad_alloc. Any thread; never yields.
[[nodiscard]] void* block_new(std::size_t bytes);

// Gives it back. `bytes`: as it was asked for. Any thread; never yields.
void block_delete(void* block, std::size_t bytes) noexcept;

}  // namespace rota::rt
