// Finds objects by address, marks them, and follows their contents.
#include "diag/leak/marking.hpp"

#include <algorithm>

#include "base/annotations.hpp"

namespace rota::rt {

namespace {

using raw_word [[gnu::may_alias]] = std::uintptr_t;

// Bytes below the stack pointer that the compiler may use.
constexpr std::uintptr_t red_zone = 128;

template <class T, class F>
T* last_from(mapped_room<T>& room, std::uintptr_t address, F lo_of) {
    T* const next =
        std::upper_bound(room.begin(), room.end(), address,
                         [&](std::uintptr_t a, const T& object) { return a < lo_of(object); });
    return next == room.begin() ? nullptr : next - 1;
}

}  // namespace

bool marking::reserve(std::size_t candidates_max, std::size_t blocks_max) {
    return candidates.reserve(candidates_max) && blocks.reserve(blocks_max) &&
           work_.reserve(candidates_max + blocks_max);
}

void marking::sort() {
    std::sort(candidates.begin(), candidates.end(),
              [](const candidate& a, const candidate& b) { return a.lo < b.lo; });
    const auto before = [](const awaited_block& a, const awaited_block& b) {
        return a.at.lo < b.at.lo;
    };
    const auto same = [](const awaited_block& a, const awaited_block& b) {
        return a.at.lo == b.at.lo;
    };
    std::sort(blocks.begin(), blocks.end(), before);
    blocks.cut(
        static_cast<std::size_t>(std::unique(blocks.begin(), blocks.end(), same) - blocks.begin()));
    if (candidates.size() != 0) stacks_ = {candidates[0].lo, candidates[candidates.size() - 1].top};
    if (blocks.size() != 0) blocks_at_ = {blocks[0].at.lo, blocks[blocks.size() - 1].at.hi};
}

candidate* marking::find_stack(std::uintptr_t address) {
    if (address - stacks_.lo >= stacks_.hi - stacks_.lo) return nullptr;
    candidate* const c = last_from(candidates, address, [](const candidate& x) { return x.lo; });
    return c != nullptr && address < c->top ? c : nullptr;
}

candidate* marking::find_goroutine(const g& gp) {
    if (gp.is_thread) return nullptr;
    candidate* const c = find_stack(reinterpret_cast<std::uintptr_t>(&gp) - 1);
    return c != nullptr && c->gp == &gp ? c : nullptr;
}

// Only pointers to the channel itself count: a goroutine that uses the buffer has a handle all the
// while. Pointers to the channel's or the buffer's end may be malloc's own, which links free memory
// by the word before it.
awaited_block* marking::find_block_at(std::uintptr_t address) {
    if (address - blocks_at_.lo >= blocks_at_.hi - blocks_at_.lo) return nullptr;
    awaited_block* const b =
        last_from(blocks, address, [](const awaited_block& x) { return x.at.lo; });
    return b != nullptr && address - b->at.lo < sizeof(detail::hchan) ? b : nullptr;
}

void marking::link(candidate& c, candidate& owner) {
    c.waits_for = static_cast<std::uint32_t>(&owner - candidates.begin());
    if (&owner == &c) return;
    c.waits_beside = owner.waits_here;
    owner.waits_here = static_cast<std::uint32_t>(&c - candidates.begin());
}

void marking::mark(candidate& c) {
    if (c.marked) return;
    c.marked = true;
    (void)work_.push(static_cast<std::uint32_t>(&c - candidates.begin()));  // each once: it fits
}

void marking::mark(awaited_block& b) {
    if (b.marked) return;
    b.marked = true;
    (void)work_.push(static_cast<std::uint32_t>(candidates.size() +
                                                static_cast<std::size_t>(&b - blocks.begin())));
}

// The two ranges may overlap: memory from malloc lies between arenas of stacks.
ROTA_ALWAYS_INLINE void marking::consider(std::uintptr_t word) {
    if (ROTA_UNLIKELY(word - stacks_.lo < stacks_.hi - stacks_.lo)) {
        if (candidate* const c = find_stack(word)) mark(*c);
    }
    if (ROTA_UNLIKELY(word - blocks_at_.lo < blocks_at_.hi - blocks_at_.lo)) {
        if (awaited_block* const b = find_block_at(word)) mark(*b);
    }
}

void marking::mark_from(const void* words, std::size_t count) {
    const auto* const from = static_cast<const raw_word*>(words);
    for (std::size_t i = 0; i < count; ++i) consider(from[i]);
}

void marking::look_into(const candidate& c) {
    const stack_words s = saved_stack(*c.gp);
    mark_from(s.words, s.count);
    for (std::uint32_t i = c.waits_here; i != nobody; i = candidates[i].waits_beside)
        mark(candidates[i]);
}

void marking::drain() {
    while (work_.size() != 0) {
        const std::uint32_t i = work_.pop();
        if (i < candidates.size()) {
            look_into(candidates[i]);
            continue;
        }
        const memory_range at = blocks[i - candidates.size()].at;
        mark_from(reinterpret_cast<const void*>(at.lo), (at.hi - at.lo) / sizeof(std::uintptr_t));
    }
}

stack_words saved_stack(const g& gp) {
    const auto top = reinterpret_cast<std::uintptr_t>(&gp);
    const auto lo = reinterpret_cast<std::uintptr_t>(gp.stack.usable_lo());
    std::uintptr_t from = reinterpret_cast<std::uintptr_t>(gp.sched.sp);
    // The stack is about to overflow, or its stack pointer was never set.
    from = from < lo + red_zone || from > top ? lo : from - red_zone;
    from = (from + sizeof(std::uintptr_t) - 1) / sizeof(std::uintptr_t) * sizeof(std::uintptr_t);
    return {reinterpret_cast<const void*>(from), (top - from) / sizeof(std::uintptr_t)};
}

}  // namespace rota::rt
