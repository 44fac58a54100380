// Implements allocation from a p's lists of blocks. malloc is never called while the caller holds a
// p: the holder of malloc's lock could be waiting for that p.
#include "sched/base/blocks.hpp"

#include <new>

#include "core/getg.hpp"
#include "core/p.hpp"
#include "sched/base/runtime_entry.hpp"

namespace rota::rt {

namespace {

// AddressSanitizer shall see uses of freed blocks, and the explorer starts each schedule from the
// same memory.
#if ROTA_ASAN || defined(ROTA_MODEL)
constexpr bool keeps_blocks = false;
#else
constexpr bool keeps_blocks = true;
#endif

constexpr std::align_val_t alignment{cache_line};

bool is_for_lists(std::size_t bytes) { return keeps_blocks && bytes - 1 < block_lists::size_max; }

// Calls use(lists) with the lists of the caller's p; does nothing if the caller has no p at hand. A
// request to yield is left to the next operation: a goroutine that makes or drops a channel does
// not expect to wait, and may hold a std::mutex or the guard of a static variable.
template <class F>
ROTA_ALWAYS_INLINE void with_lists(F use) {
    m* const now = getm_or_null();
    // relaxed: our own. At exit sysmon may drop a timer's closure inside.
    if (ROTA_UNLIKELY(now == nullptr || now->in_runtime.load(memory_order_relaxed))) return;
    m* const self = try_enter_runtime();
    if (ROTA_UNLIKELY(self == nullptr)) return;
    if (ROTA_LIKELY(self->pp != nullptr)) use(self->pp->blocks);
    (void)try_leave_runtime(*self);
}

}  // namespace

std::size_t block_extent(std::size_t bytes) { return block_lists::rounded(bytes) + sizeof(void*); }

void* block_new(std::size_t bytes) {
    void* block = nullptr;
    if (is_for_lists(bytes)) with_lists([&](block_lists& lists) { block = lists.take(bytes); });
    if (ROTA_LIKELY(block != nullptr)) return block;
    return ::operator new(block_extent(bytes), alignment);
}

void block_delete(void* block, std::size_t bytes) noexcept {
    if (!is_for_lists(bytes)) return ::operator delete(block, alignment);
    bool is_kept = false;
    spare_block* others = nullptr;
    with_lists([&](block_lists& lists) {
        others = lists.keep(block, bytes);
        is_kept = true;
    });
    if (ROTA_UNLIKELY(!is_kept)) return ::operator delete(block, alignment);
    while (ROTA_UNLIKELY(others != nullptr)) {
        spare_block* const next = others->next;
        ::operator delete(others, alignment);
        others = next;
    }
}

}  // namespace rota::rt
