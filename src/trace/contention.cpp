// Keeps the stack tables of the block and mutex profiles, and samples the events for them.
#include "trace/contention.hpp"

#include <cstring>

namespace rota::rt {

namespace {

std::uint64_t hash_of(const std::uintptr_t* pcs, std::size_t n) {
    std::uint64_t h = n;
    for (std::size_t i = 0; i < n; ++i) {
        h = (h ^ pcs[i]) * 0x9e3779b97f4a7c15;
        h ^= h >> 29;
    }
    return h;
}

}  // namespace

stack_table::entry& stack_table::find_or_add(const std::uintptr_t* pcs, std::size_t n) {
    const std::uint64_t hash = hash_of(pcs, n);
    std::uint32_t& chain = chains_[hash % chain_count];
    for (std::uint32_t at = chain; at != 0; at = entries_[at - 1].next) {
        entry& e = entries_[at - 1];
        if (e.hash == hash && e.size == n && std::memcmp(&pcs_[e.first], pcs, n * sizeof *pcs) == 0)
            return e;
    }
    entry fresh{pcs_.size(), static_cast<std::uint32_t>(n), chain, hash, 0, 0};
    for (std::size_t i = 0; i < n; ++i) pcs_.push_back(pcs[i]);
    entries_.push_back(fresh);
    chain = static_cast<std::uint32_t>(entries_.size());
    return entries_[entries_.size() - 1];
}

void stack_table::add(double count, double ns) {
    std::uintptr_t pcs[stack_pcs_max];
    const std::size_t n = own_stack(pcs, stack_pcs_max);
    if (n == 0) return;
    const lock_guard guard(mu_);
    entry& e = find_or_add(pcs, n);
    e.count += count;
    e.ns += ns;
}

stack_table::extent stack_table::size() {
    const lock_guard guard(mu_);
    return {entries_.size(), pcs_.size()};
}

std::size_t stack_table::mapped() {
    const lock_guard guard(mu_);
    return entries_.mapped() + pcs_.mapped();
}

std::size_t stack_table::copy(copied* out, std::size_t entries, std::uintptr_t* pcs,
                              std::size_t pcs_room) {
    const lock_guard guard(mu_);
    std::size_t n = 0;
    for (; n < entries && n < entries_.size(); ++n) {
        const entry& e = entries_[n];
        if (e.first + e.size > pcs_room) break;
        std::memcpy(pcs + e.first, &pcs_[e.first], e.size * sizeof *pcs);
        out[n] = {e.first, e.size, e.count, e.ns};
    }
    return n;
}

void note_blocked(std::int64_t ns, std::uint64_t random) {
    const std::int64_t rate = block_rate();
    if (rate <= 0) return;
    if (ns < 1) ns = 1;
    if (ns >= rate) return contention.blocked.add(1, static_cast<double>(ns));
    if (random % static_cast<std::uint64_t>(rate) > static_cast<std::uint64_t>(ns)) return;
    // A short wait that is sampled also stands for the short waits that were skipped.
    contention.blocked.add(static_cast<double>(rate) / static_cast<double>(ns),
                           static_cast<double>(rate));
}

void note_held_up(std::int64_t ns, std::uint64_t random) {
    const std::int64_t fraction = mutex_fraction();
    if (fraction <= 0 || random % static_cast<std::uint64_t>(fraction) != 0) return;
    const auto times = static_cast<double>(fraction);
    contention.held.add(times, times * static_cast<double>(ns < 0 ? 0 : ns));
}

}  // namespace rota::rt
