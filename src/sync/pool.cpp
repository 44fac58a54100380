// Keeps the values of a pool in a part for each processor. Go: sync/pool.go.
//
// Each part has a lock that mostly one m takes, and three chains: values put since the last
// collection, values put before it (the victims), and boxes whose value has been taken. A value is
// looked for in the caller's own part, then in the rest of the parts, then among the victims, so
// that the victims stay unused and can go. In Go the owner of a part needs no lock, but each
// collection stops the world; an uncontended lock costs 6 ns.
//
// Values are moved or destroyed only by pools_collect and by the end of a pool, without a lock.
#include <rota/detail/pool_engine.hpp>

#include <algorithm>

#include "core/getg.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sys/call/clock.hpp"
#include "sys/thread/lock.hpp"
#include "sys/thread/thread.hpp"

namespace rota::detail {

using namespace rota::rt;

namespace {

constexpr std::int64_t period_ns = 120'000'000'000;  // as between Go's forced collections
constexpr std::uint32_t puts_between_looks = 1024;

pool_box* pop(pool_box*& chain) {
    pool_box* const b = chain;
    if (b != nullptr) chain = b->next;
    return b;
}

void push(pool_box*& chain, pool_box* b) {
    b->next = chain;
    chain = b;
}

void append(pool_box*& chain, pool_box* more) {
    pool_box** end = &chain;
    while (*end != nullptr) end = &(*end)->next;
    *end = more;
}

void destroy_all(pool_box* chain) {
    while (pool_box* const b = pop(chain)) b->destroy(b);
}

}  // namespace

struct alignas(cache_line) pool_part {
    lock mu{lock_rank::pool};
    pool_box* fresh ROTA_GUARDED_BY(mu) = nullptr;
    pool_box* victims ROTA_GUARDED_BY(mu) = nullptr;
    pool_box* empty ROTA_GUARDED_BY(mu) = nullptr;
    std::uint32_t puts ROTA_GUARDED_BY(mu) = 0;
};

struct pool_state {
    // --- fixed -------------------------------------------------------------------
    std::uint32_t count = 0;
    pool_part* parts = nullptr;

    // relaxed, both: collections are not exact
    atomic<std::int64_t> collected_at{0};

    // --- guarded by the registry's lock --------------------------------------------
    pool_state* next = nullptr;
    pool_state* prev = nullptr;

    explicit pool_state(std::uint32_t n) : count(n), parts(new pool_part[n]) {
        collected_at.store(nanotime(), memory_order_relaxed);
    }
    ~pool_state() { delete[] parts; }

    pool_part& own_part() {
        const m& self = getm();
        const std::uint64_t id =
            self.pp != nullptr ? static_cast<std::uint64_t>(self.pp->id) : self.id;
        return parts[id < count ? id : id % count];
    }

    pool_box* take_from_others(pool_part& own);
    pool_box* collect();
};

namespace {

struct pool_registry {
    lock mu{lock_rank::pools};
    pool_state* first ROTA_GUARDED_BY(mu) = nullptr;
};
constinit pool_registry registry;

}  // namespace

pool_box* pool_state::take_from_others(pool_part& own) {
    for (std::uint32_t i = 0; i < count; ++i) {
        pool_part& other = parts[i];
        if (&other == &own) continue;
        const lock_guard guard(other.mu);
        if (pool_box* const b = pop(other.fresh)) return b;
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        const lock_guard guard(parts[i].mu);
        if (pool_box* const b = pop(parts[i].victims)) return b;
    }
    return nullptr;
}

// Takes out the victims and the empty boxes; the remaining values become victims of the next
// collection.
pool_box* pool_state::collect() {
    collected_at.store(nanotime(), memory_order_relaxed);
    pool_box* out = nullptr;
    for (std::uint32_t i = 0; i < count; ++i) {
        pool_part& part = parts[i];
        const lock_guard guard(part.mu);
        append(part.victims, out);
        out = part.victims;
        append(part.empty, out);
        out = part.empty;
        part.empty = nullptr;
        part.victims = part.fresh;
        part.fresh = nullptr;
    }
    return out;
}

pool_state& pool_core::make_state() {
    {
        const runtime_entry booted;
    }
    // A part for each p that can ever run at once, since the number of ps may grow.
    const std::int32_t most = std::max(proc_count(), processor_count());
    auto* const fresh = new pool_state(static_cast<std::uint32_t>(most));
    pool_state* seen = nullptr;
    if (!state_.compare_exchange(seen, fresh, memory_order_acq_rel,  // pairs(pool.state)
                                 memory_order_acquire)) {            // pairs(pool.state)
        delete fresh;
        return *seen;
    }
    const runtime_entry inside;
    const lock_guard guard(registry.mu);
    fresh->next = registry.first;
    if (fresh->next != nullptr) fresh->next->prev = fresh;
    registry.first = fresh;
    return *fresh;
}

pool_box* pool_core::take() {
    pool_state& s = state();
    const runtime_entry inside;
    pool_part& own = s.own_part();
    {
        const lock_guard guard(own.mu);
        if (pool_box* const b = pop(own.fresh)) return b;
    }
    return s.take_from_others(own);
}

void pool_core::put(pool_box* b) {
    pool_state& s = state();
    pool_box* old = nullptr;
    {
        const runtime_entry inside;
        pool_part& own = s.own_part();
        bool look = false;
        {
            const lock_guard guard(own.mu);
            push(own.fresh, b);
            look = ++own.puts % puts_between_looks == 0;
        }
        // relaxed: as above
        if (look && nanotime() - s.collected_at.load(memory_order_relaxed) > period_ns)
            old = s.collect();
    }
    destroy_all(old);
}

pool_box* pool_core::take_empty() {
    pool_state& s = state();
    const runtime_entry inside;
    pool_part& own = s.own_part();
    const lock_guard guard(own.mu);
    return pop(own.empty);
}

void pool_core::put_empty(pool_box* b) {
    pool_state& s = state();
    const runtime_entry inside;
    pool_part& own = s.own_part();
    const lock_guard guard(own.mu);
    push(own.empty, b);
}

pool_core::~pool_core() {
    pool_state* const s = state_.load(memory_order_acquire);  // pairs(pool.state)
    if (s == nullptr) return;
    pool_box* older = nullptr;
    pool_box* newer = nullptr;
    {
        const runtime_entry inside;
        {
            const lock_guard guard(registry.mu);
            if (s->prev != nullptr) s->prev->next = s->next;
            else registry.first = s->next;
            if (s->next != nullptr) s->next->prev = s->prev;
        }
        older = s->collect();
        newer = s->collect();
    }
    destroy_all(older);
    destroy_all(newer);
    delete s;
}

void pools_collect() {
    pool_box* old = nullptr;
    {
        const runtime_entry inside;
        const lock_guard guard(registry.mu);
        for (pool_state* s = registry.first; s != nullptr; s = s->next) {
            pool_box* const out = s->collect();
            append(old, out);
        }
    }
    destroy_all(old);
}

}  // namespace rota::detail
