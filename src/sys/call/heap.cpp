// Calls malloc_trim where the C library has it.
#include "sys/call/heap.hpp"

extern "C" [[gnu::weak]] int malloc_trim(std::size_t kept_at_the_top) noexcept;

namespace rota::rt {

void heap_trim() {
    if (!heap_trim_is_on.load(memory_order_relaxed)) return;  // relaxed: a setting
    if (malloc_trim != nullptr) (void)malloc_trim(0);
}

}  // namespace rota::rt
