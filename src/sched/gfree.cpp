// The lists of dead goroutines.
#include "sched/gfree.hpp"

#include <new>

namespace rota::rt {

namespace {

constexpr std::uint32_t local_max = 64, batch_size = 32;
constexpr std::uint64_t keep_always = 1024;    // below this the pool is left alone
constexpr std::uint64_t scavenge_max = 65536;  // gs a call: some 50 ms of madvise

struct gfree_t {
    lock mu{lock_rank::gfree};
    // Stacks of batches: the first g of each batch links to the next batch by wake_param.
    g* batches ROTA_GUARDED_BY(mu) = nullptr;
    // Gs of other stack classes than the default, one by one.
    g* odd[stack_class_count] ROTA_GUARDED_BY(mu) = {};
    std::uint64_t batch_count ROTA_GUARDED_BY(mu) = 0;
    std::uint64_t least ROTA_GUARDED_BY(mu) =
        0;  // the smallest batch_count since the last scavenge
};
constinit gfree_t gfree;

constexpr std::uint8_t default_class = stack_class_for(stack_size_default);

g* fresh(std::uint8_t cls) {
    const stack_slot slot = stack_alloc(cls);
    if (!slot) return nullptr;
    g* const gp = new (header_of(slot)) g;
    gp->stack = slot;
    gp->status.store(g_status::dead, memory_order_relaxed);  // relaxed: nobody knows it yet
    return gp;
}

g* pop_batch() ROTA_REQUIRES(gfree.mu) {
    g* const first = gfree.batches;
    if (first == nullptr) return nullptr;
    gfree.batches = static_cast<g*>(first->wake_param);
    first->wake_param = nullptr;
    if (--gfree.batch_count < gfree.least) gfree.least = gfree.batch_count;
    return first;
}

void push_batch(g_stack& batch) ROTA_REQUIRES(gfree.mu) {
    ROTA_DCHECK(batch.size() == batch_size);
    batch.top()->wake_param = gfree.batches;
    gfree.batches = batch.top();
    ++gfree.batch_count;
}

g* from_global(p& pp) {
    g* first = nullptr;
    {
        const lock_guard guard(gfree.mu);
        first = pop_batch();
    }
    while (first != nullptr) {
        g* const next = first->sched_link;
        pp.gfree.push(*first);
        first = next;
    }
    return pp.gfree.pop();
}

g* odd_get(std::uint8_t cls) {
    const lock_guard guard(gfree.mu);
    g* const gp = gfree.odd[cls];
    if (gp != nullptr) gfree.odd[cls] = gp->sched_link;
    return gp;
}

void odd_put(g& gp) {
    const lock_guard guard(gfree.mu);
    gp.sched_link = gfree.odd[gp.stack.cls];
    gfree.odd[gp.stack.cls] = &gp;
}

}  // namespace

g* gfget(p* pp, std::uint8_t cls) {
    g* gp = nullptr;
    if (pp != nullptr && cls == default_class) {
        gp = pp->gfree.pop();
        if (gp == nullptr) gp = from_global(*pp);
    } else {
        gp = odd_get(cls);
    }
    if (gp != nullptr) {
        ROTA_CHECK(readgstatus(*gp) == g_status::dead);
        gp->sched_link = nullptr;
        return gp;
    }
    return fresh(cls);
}

void gfput(p* pp, g& gp) {
    ROTA_DCHECK(readgstatus(gp) == g_status::dead);
    if (pp == nullptr || gp.stack.cls != default_class) {
        odd_put(gp);
        return;
    }
    pp->gfree.push(gp);
    if (pp->gfree.size() < local_max) return;
    g_stack batch;
    while (batch.size() < batch_size) batch.push(*pp->gfree.pop());
    const lock_guard guard(gfree.mu);
    push_batch(batch);
}

bool gfree_scavenge() {
    std::uint64_t budget = 0;
    {
        const lock_guard guard(gfree.mu);
        // What was never wanted since the last call, a sixteenth of it at a time.
        budget = gfree.least * batch_size > keep_always ? gfree.least / 16 + 1 : 0;
        if (budget > scavenge_max / batch_size) budget = scavenge_max / batch_size;
        gfree.least = gfree.batch_count;
    }
    const bool more = budget > 0;
    for (; budget > 0; --budget) {
        g* gp = nullptr;
        {
            const lock_guard guard(gfree.mu);
            gp = pop_batch();
        }
        while (gp != nullptr) {
            g* const next = gp->sched_link;
            const stack_slot slot = gp->stack;
            gp->~g();
            stack_release(slot);  // its header reads as zero from here on: state idle
            gp = next;
        }
    }
    return more;
}

std::uint64_t gfree_count() {
    const lock_guard guard(gfree.mu);
    return gfree.batch_count * batch_size;
}

}  // namespace rota::rt
