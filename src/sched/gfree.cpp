// The lists of dead goroutines.
#include "sched/gfree.hpp"

#include <new>

#include "mem/mapped.hpp"

namespace rota::rt {

namespace {

constexpr std::uint32_t batch_size = p::gfree_max / 2;
constexpr std::uint64_t keep_always = 1024;  // below this the pool is left alone
constexpr std::uint8_t default_class = stack_class_for(stack_size_default);

struct gfree_t {
    lock mu{lock_rank::gfree};
    mapped_array<g*> pool[stack_class_count] ROTA_GUARDED_BY(mu);  // last in, first out
    std::uint64_t least ROTA_GUARDED_BY(mu) =
        0;  // smallest size of the default pool since the last scavenge
};
constinit gfree_t gfree;

// Headers and first frames of goroutines that have long been dead are in no cache: asked for early,
// they come together instead of one after the other (bench parked_1m).
void prefetch_stack(const g* gp) {
    const auto* const top = reinterpret_cast<const std::byte*>(gp);
    for (int line = -4; line < 3; ++line)
        __builtin_prefetch(top + line * static_cast<int>(cache_line), 1);
}

g* fresh(std::uint8_t cls) {
    const stack_slot slot = stack_alloc(cls);
    if (!slot) return nullptr;
    g* const gp = new (header_of(slot)) g;
    gp->stack = slot;
    gp->status.store(g_status::dead, memory_order_relaxed);  // relaxed: nobody knows it yet
    return gp;
}

g* pop(std::uint8_t cls) ROTA_REQUIRES(gfree.mu) {
    auto& pool = gfree.pool[cls];
    if (pool.empty()) return nullptr;
    g* const gp = pool[pool.size() - 1];
    pool.pop_back();
    return gp;
}

void note_least() ROTA_REQUIRES(gfree.mu) {
    const std::uint64_t size = gfree.pool[default_class].size();
    if (size < gfree.least) gfree.least = size;
}

// Takes up to a batch from the global pool into pp's list.
void refill(p& pp) {
    const lock_guard guard(gfree.mu);
    while (pp.gfree_count < batch_size) {
        g* const gp = pop(default_class);
        if (gp == nullptr) break;
        pp.gfree[pp.gfree_count++] = gp;
    }
    note_least();
}

g* from_local(p& pp) {
    if (pp.gfree_count == 0) refill(pp);
    if (pp.gfree_count == 0) return nullptr;
    g* const gp = pp.gfree[--pp.gfree_count];
    if (pp.gfree_count >= 2) prefetch_stack(pp.gfree[pp.gfree_count - 2]);
    return gp;
}

g* from_pool(std::uint8_t cls) {
    const lock_guard guard(gfree.mu);
    g* const gp = pop(cls);
    note_least();
    return gp;
}

}  // namespace

g* gfget(p* pp, std::uint8_t cls) {
    g* const gp = pp != nullptr && cls == default_class ? from_local(*pp) : from_pool(cls);
    if (gp == nullptr) return fresh(cls);
    ROTA_CHECK(readgstatus(*gp) == g_status::dead);
    return gp;
}

void gfput(p* pp, g& gp) {
    ROTA_DCHECK(readgstatus(gp) == g_status::dead);
    if (pp == nullptr || gp.stack.cls != default_class) {
        const lock_guard guard(gfree.mu);
        gfree.pool[gp.stack.cls].push_back(&gp);
        return;
    }
    if (pp->gfree_count == p::gfree_max) {
        // The ones that died first go: the others are still in the cache.
        const lock_guard guard(gfree.mu);
        for (std::uint32_t i = 0; i < batch_size; ++i)
            gfree.pool[default_class].push_back(pp->gfree[i]);
        for (std::uint32_t i = batch_size; i < p::gfree_max; ++i)
            pp->gfree[i - batch_size] = pp->gfree[i];
        pp->gfree_count -= batch_size;
    }
    pp->gfree[pp->gfree_count++] = &gp;
}

void gfree_purge(p& pp) {
    const lock_guard guard(gfree.mu);
    for (std::uint32_t i = 0; i < pp.gfree_count; ++i)
        gfree.pool[default_class].push_back(pp.gfree[i]);
    pp.gfree_count = 0;
}

std::uint64_t gfree_unused() {
    const lock_guard guard(gfree.mu);
    const std::uint64_t unused = gfree.least > keep_always ? gfree.least / 16 + 1 : 0;
    gfree.least = gfree.pool[default_class].size();
    return unused;
}

void gfree_release(std::uint64_t count) {
    for (; count > 0; --count) {
        g* const gp = from_pool(default_class);
        if (gp == nullptr) return;
        const stack_slot slot = gp->stack;
        gp->~g();
        stack_release(slot);  // its header reads as zero from here on: state idle
    }
}

std::uint64_t gfree_count() {
    const lock_guard guard(gfree.mu);
    return gfree.pool[default_class].size();
}

}  // namespace rota::rt
