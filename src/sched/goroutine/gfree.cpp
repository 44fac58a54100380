// Keeps the lists of dead goroutines: an array for each p, and a pool for each stack class.
#include "sched/goroutine/gfree.hpp"

#include <new>

#include "mem/mapped.hpp"
#include "sched/base/park_check.hpp"
#include "sched/record/stack_depth.hpp"
#include "sched/record/trace_events.hpp"

namespace rota::rt {

namespace {

constexpr std::uint32_t batch_size = p::gfree_max / 2;
constexpr std::uint64_t keep_always = 1024;  // goroutines that a pool keeps in any case

// Dead goroutines of one stack class. Guarded by gfree.mu.
class gfree_pool {
  public:
    std::uint64_t least = 0;  // the smallest size since the last gfree_unused
    std::uint64_t to_go = 0;  // goroutines to release, as the last gfree_unused said

    std::uint64_t size() const { return gs_.size() + chained_count_; }

    void push(g& gp) {
        if (ROTA_LIKELY(gs_.try_push_back(&gp))) return;
        gp.closure = chained_;
        chained_ = &gp;
        ++chained_count_;
    }
    g* pop() {
        if (size() == 0) return nullptr;
        g* const gp = ROTA_UNLIKELY(chained_ != nullptr) ? pop_chained() : pop_listed();
        if (size() < least) least = size();
        return gp;
    }

  private:
    g* pop_listed() {
        g* const gp = gs_[gs_.size() - 1];
        gs_.pop_back();
        return gp;
    }
    g* pop_chained() {
        g* const gp = chained_;
        chained_ = static_cast<g*>(gp->closure);
        gp->closure = nullptr;
        --chained_count_;
        return gp;
    }

    mapped_array<g*> gs_;  // last in, first out
    // The list had no memory for these. Linked by their closures, which a dead goroutine lacks.
    g* chained_ = nullptr;
    std::uint64_t chained_count_ = 0;
};

struct gfree_t {
    lock mu{lock_rank::gfree};
    gfree_pool pool[stack_class_count] ROTA_GUARDED_BY(mu);
};
constinit gfree_t gfree;

// Headers and first frames of goroutines that died long ago are in no cache. Prefetched, their
// lines come together instead of one after the other (bench parked_1m).
void prefetch_stack(const g* gp) {
    const auto* const top = reinterpret_cast<const std::byte*>(gp);
#pragma GCC unroll 7
    for (int line = -4; line < 3; ++line)
        __builtin_prefetch(top + line * static_cast<int>(cache_line), 1);
}

// Returns the header of a free stack. It is not constructed, because a scan by another thread may
// be reading it. The kernel's zeros are the values of g's initializers (tests/core/g_test). If the
// kernel has refused to take a stack back, its header is still that of a dead goroutine, as in the
// pools.
g* header_in(const stack_slot& slot) {
#if defined(ROTA_MODEL)
    return new (header_of(slot)) g;  // explored schedules begin with its construction
#else
    return std::launder(header_of(slot));
#endif
}

g* fresh(std::uint8_t cls) {
    const stack_slot slot = stack_alloc(cls);
    if (!slot) return nullptr;
    g* const gp = header_in(slot);
    gp->stack = slot;
    gp->is_checked = gp->leaves_with_care = park_check.is_on;
    // relaxed: no other thread knows it yet
    gp->status.store(g_status::dead, memory_order_relaxed);
    return gp;
}

// Moves up to a batch from the global pool into pp's list. A prefetch of a line waits for the
// translation of its page; for a batch the processor looks up the pages at the same time.
void refill(p& pp) {
    const lock_guard guard(gfree.mu);
    while (pp.gfree_count < batch_size) {
        g* const gp = gfree.pool[pp.gfree_class].pop();
        if (gp == nullptr) break;
        __builtin_prefetch(gp, 1);
        pp.gfree[pp.gfree_count++] = gp;
    }
}

// Passes the first `n` goroutines of pp's list to the pool. The rest died later: it is in the
// cache.
void pass_on(p& pp, std::uint32_t n) {
    const lock_guard guard(gfree.mu);
    for (std::uint32_t i = 0; i < n; ++i) gfree.pool[pp.gfree_class].push(*pp.gfree[i]);
    for (std::uint32_t i = n; i < pp.gfree_count; ++i) pp.gfree[i - n] = pp.gfree[i];
    pp.gfree_count -= n;
}

// Turns pp's list to the class if that is the default class; returns whether it has.
ROTA_COLD bool turns_to(p& pp, std::uint8_t cls) {
    if (cls != default_stack_class.load(memory_order_relaxed)) return false;  // relaxed: a setting
    if (are_stack_depths_kept()) return false;
    pass_on(pp, pp.gfree_count);
    pp.gfree_class = cls;
    return true;
}

bool keeps(p* pp, std::uint8_t cls) {
    return pp != nullptr && (ROTA_LIKELY(pp->gfree_class == cls) || turns_to(*pp, cls));
}

g* from_p(p& pp) {
    if (pp.gfree_count == 0) refill(pp);
    if (pp.gfree_count == 0) return nullptr;
    g* const gp = pp.gfree[--pp.gfree_count];
    if (pp.gfree_count >= 2) prefetch_stack(pp.gfree[pp.gfree_count - 2]);
    return gp;
}

g* from_pool(std::uint8_t cls) {
    const lock_guard guard(gfree.mu);
    return gfree.pool[cls].pop();
}

// Returns a goroutine to release, a surplus goroutine first; null if every pool is empty.
g* to_release() {
    const lock_guard guard(gfree.mu);
    for (gfree_pool& pool : gfree.pool) {
        if (pool.to_go == 0) continue;
        --pool.to_go;
        if (g* const gp = pool.pop()) return gp;
    }
    for (gfree_pool& pool : gfree.pool) {
        if (g* const gp = pool.pop()) return gp;
    }
    return nullptr;
}

}  // namespace

g* gfget(p* pp, std::uint8_t cls) {
    g* const gp = keeps(pp, cls) ? from_p(*pp) : from_pool(cls);
    if (gp == nullptr) return fresh(cls);
    ROTA_CHECK(readgstatus(*gp) == g_status::dead);
    return gp;
}

void gfput(p* pp, g& gp) {
    ROTA_DCHECK(readgstatus(gp) == g_status::dead && gp.locked_m == nullptr);
    if (!keeps(pp, gp.stack.cls)) {
        if (are_stack_depths_kept()) note_stack_depth(gp);
        gp.closure = nullptr;
        const lock_guard guard(gfree.mu);
        gfree.pool[gp.stack.cls].push(gp);
        return;
    }
    gp.closure = nullptr;
    if (pp->gfree_count == p::gfree_max) pass_on(*pp, batch_size);
    pp->gfree[pp->gfree_count++] = &gp;
}

void gfree_purge(p& pp) { pass_on(pp, pp.gfree_count); }

std::uint64_t gfree_unused(bool most) {
    const lock_guard guard(gfree.mu);
    std::uint64_t unused = 0;
    for (gfree_pool& pool : gfree.pool) {
        if (most) pool.to_go = pool.size() > keep_always ? pool.size() - keep_always : 0;
        else pool.to_go = pool.least > keep_always ? pool.least / 16 + 1 : 0;
        pool.least = pool.size();
        unused += pool.to_go;
    }
    return unused;
}

void gfree_release(std::uint64_t count) {
    for (; count > 0; --count) {
        g* const gp = to_release();
        if (gp == nullptr) return;
        // In a trace's first generation a word of zeros is valid: the goroutine that serves the
        // trace may be about to turn this goroutine's word, and would not notice the release.
        if (is_first_of_trace()) {
            const lock_guard guard(gfree.mu);
            gfree.pool[gp->stack.cls].push(*gp);
            return;
        }
        const stack_slot slot = gp->stack;
        gp->~g();
        stack_release(slot);  // its header reads as zero from here on: state idle
    }
}

void gfree_gather_idle() {
    for (p* pp = sched.idle_p; pp != nullptr; pp = pp->idle_link)
        if (pp->gfree_count > 0) gfree_purge(*pp);
}

bool gfree_has_idle() {
    for (const p* pp = sched.idle_p; pp != nullptr; pp = pp->idle_link)
        if (pp->gfree_count > 0) return true;
    return gfree_count() > 0;
}

std::uint64_t gfree_count() {
    const lock_guard guard(gfree.mu);
    std::uint64_t count = 0;
    for (const gfree_pool& pool : gfree.pool) count += pool.size();
    return count;
}

}  // namespace rota::rt
