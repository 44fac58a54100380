// Passes full chains of blocks from p to p through a pool for each size.
#include "mem/block_lists.hpp"

#include "base/atomic.hpp"
#include "sys/thread/lock.hpp"

namespace rota::rt {

namespace {

constexpr std::uint32_t chains_max = 32;  // chains of one size

struct alignas(cache_line) chain_pool {
    lock mu{lock_rank::blocks};
    spare_block* first ROTA_GUARDED_BY(mu) = nullptr;
    atomic<std::uint32_t> count{0};  // writer: under mu. relaxed: a hint for readers without mu
};
constinit chain_pool pools[block_lists::classes];

// A p that finds the pool busy does without it. So no thread waits here, not even the child of a
// fork for a lock with a holder that does not exist there.
spare_block* take_chain(chain_pool& pool) {
    // relaxed, each: see count. A p that makes blocks and never drops any comes through here for
    // every block.
    if (pool.count.load(memory_order_relaxed) == 0 || !pool.mu.try_acquire()) return nullptr;
    spare_block* const chain = pool.first;
    if (chain != nullptr) {
        pool.first = chain->next_chain;
        pool.count.store(pool.count.load(memory_order_relaxed) - 1, memory_order_relaxed);
    }
    pool.mu.release();
    return chain;
}

bool put_chain(chain_pool& pool, spare_block* chain) {
    if (!pool.mu.try_acquire()) return false;
    const std::uint32_t count = pool.count.load(memory_order_relaxed);  // relaxed: under mu
    const bool has_room = count < chains_max;
    if (has_room) {
        chain->next_chain = pool.first;
        pool.first = chain;
        pool.count.store(count + 1, memory_order_relaxed);  // relaxed: see count
    }
    pool.mu.release();
    return has_room;
}

}  // namespace

bool block_lists::refill(list& l) {
    spare_block* chain = l.full;
    l.full = nullptr;
    if (chain == nullptr) chain = take_chain(pools[&l - lists_]);
    if (chain == nullptr) return false;
    l.first = chain;
    l.count = chain_length;
    return true;
}

spare_block* block_lists::pass_on(list& l) {
    spare_block* out = l.full;
    if (out != nullptr && put_chain(pools[&l - lists_], out)) out = nullptr;
    l.full = l.first;
    l.first = nullptr;
    l.count = 0;
    return out;
}

}  // namespace rota::rt
