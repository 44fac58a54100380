// Arenas of stack slots. Hot stacks never come here: dead goroutines keep theirs (sched/gfree).
#include "mem/stack.hpp"

#include <new>

#include "base/atomic.hpp"
#include "base/check.hpp"
#include "base/fatal.hpp"
#include "mem/stack_room.hpp"
#include "sys/clock.hpp"
#include "sys/lock.hpp"
#include "sys/mmap.hpp"
#include "sys/valgrind.hpp"

namespace rota::rt {

namespace {

constexpr std::uint32_t arenas_max = 8192;
constexpr std::uint32_t none = ~std::uint32_t{0};

struct arena {
    // --- fixed before the arena is published -------------------------------------
    std::byte* base = nullptr;
    std::uint32_t slot_count = 0;
    std::uint8_t cls = 0;
    std::uint8_t guard_pages = 0;
    std::uint32_t* cold_next = nullptr;  // per slot: the next cold one; pages come on touch

    // --- under stacks.mu; `used` is read by anyone ------------------------------
    atomic<std::uint32_t> used{0};       // slots handed out so far, from the bottom up
    std::uint32_t cold_head = none;      // slots given back
    std::uint32_t touched = 0;           // slots from the bottom up whose top page is there
    std::uint32_t guarded = 0;           // slots from the bottom up that have their guard already
    std::uint32_t next_of_class = none;  // arenas of this class that still have slots to give

    std::size_t pitch() const { return stack_pitch(cls, guard_pages); }
    std::size_t bytes() const { return slot_count * pitch(); }
};

enum class guard_kind : std::uint8_t { markers, mappings, none };

struct stack_table {
    lock mu{lock_rank::stack};
    arena* arenas ROTA_GUARDED_BY(mu) = nullptr;  // one reserved array, never moved
    std::uint32_t open[stack_class_count] ROTA_GUARDED_BY(mu) = {
        none, none, none, none, none, none, none, none, none, none, none, none, none};
    bool guard_ahead ROTA_GUARDED_BY(mu) = true;  // the kernel guards many slots in one call
    long guards_left ROTA_GUARDED_BY(mu) =
        -1;  // mappings kind: how many more may be set; -1: not known

    // --- anyone -----------------------------------------------------------------------
    atomic<guard_kind> guard{guard_kind::markers};

    // --- written under mu, read by anyone -------------------------------------------
    atomic<std::uint32_t> fresh{0};       // slots ever taken from an arena; relaxed: demand
    atomic<std::uint32_t> fresh_seen{0};  // as it was when tops were last touched ahead
    atomic<arena*> published{nullptr};
    atomic<std::uint32_t> count{0};
};
constinit stack_table stacks;

// For reports. Not atomics of ours, as in mem/mapped.
constinit std::size_t slot_bytes = 0;        // all there are
constinit std::size_t handed_out_bytes = 0;  // those in use
constinit std::uint64_t trim_ns = 0;         // in stack_trim
constinit std::size_t table_bytes = 0;       // and what tells them apart

void add_to(std::size_t& sum, std::size_t bytes) {
    __atomic_fetch_add(&sum, bytes, __ATOMIC_RELAXED);
}

std::size_t metadata_bytes(std::uint32_t slot_count) {
    const std::size_t bytes = slot_count * sizeof(std::uint32_t);
    return (bytes + page_size - 1) / page_size * page_size;
}

// Reserves an arena of `cls`, smaller and smaller while the kernel refuses; at last one slot with a
// short guard. False: not even that can be had.
bool reserve(arena& a, std::uint8_t cls) {
    arena_plan plan = plan_arena(cls, read_address_space());
    for (;;) {
        const std::size_t pitch = stack_pitch(cls, plan.guard_pages);
        const std::size_t bytes = plan.slots * pitch, extra = metadata_bytes(plan.slots);
        if (void* start = mmap_reserve(bytes + extra)) {
            a.base = static_cast<std::byte*>(start);
            a.cold_next = reinterpret_cast<std::uint32_t*>(a.base + bytes);
            a.slot_count = plan.slots;
            a.cls = cls;
            a.guard_pages = plan.guard_pages;
            add_to(slot_bytes, bytes);
            add_to(table_bytes, extra);
            return true;
        }
        if (plan.slots > 1) plan.slots /= 2;
        else if (plan.guard_pages != stack_guard_pages_short)
            plan.guard_pages = stack_guard_pages_short;
        else return false;
    }
}

bool add_arena(std::uint8_t cls) ROTA_REQUIRES(stacks.mu) {
    if (stacks.arenas == nullptr) {
        stacks.arenas = static_cast<arena*>(mmap_reserve(arenas_max * sizeof(arena)));
        if (stacks.arenas == nullptr) return false;
        add_to(table_bytes, arenas_max * sizeof(arena));
        stacks.published.store(stacks.arenas, memory_order_release);  // pairs(stack.arenas)
    }
    const std::uint32_t n =
        stacks.count.load(memory_order_relaxed);  // relaxed: changed under mu only
    if (n == arenas_max) return false;
    arena& a = *new (stacks.arenas + n) arena;
    if (!reserve(a, cls)) return false;
    a.next_of_class = stacks.open[cls];
    stacks.open[cls] = n;
    stacks.count.store(n + 1, memory_order_release);  // pairs(stack.arenas)
    return true;
}

stack_slot slot_at(const arena& a, std::uint32_t arena_index, std::uint32_t index) {
    std::byte* const lo = a.base + index * a.pitch();
    static_assert(arenas_max <= 1 << 16);
    return {lo,    lo + a.pitch(), index, static_cast<std::uint16_t>(arena_index),
            a.cls, a.guard_pages};
}

void say_unguarded(long limit) {
    print_error(
        "rota: goroutine stacks: this kernel has no MADV_GUARD_INSTALL, and guard pages use "
        "up half of vm.max_map_count (%ld); further stacks run without one. Raise it to keep "
        "guards.\n",
        limit);
}

// Counts one more slot guarded by mappings, or finds that there may be no more.
bool take_guard_mapping() {
    const lock_guard guard(stacks.mu);
    if (stacks.guards_left == 0) {
        stacks.guard.store(guard_kind::none, memory_order_relaxed);  // relaxed: a setting
        return false;
    }
    if (stacks.guards_left < 0)
        stacks.guards_left = max_map_count() / 4;  // two each: half of the bound
    --stacks.guards_left;
    return true;
}

// Runs without the lock: the kernel takes about a microsecond, and the slot is the caller's own.
void install_guard(const stack_slot& slot) {
    const std::size_t guard_bytes = slot.guard_pages * page_size;
    // relaxed: who sees an old setting finds out by itself
    if (stacks.guard.load(memory_order_relaxed) == guard_kind::markers) {
        if (mmap_guard(slot.lo, guard_bytes) == 0) return;
        stacks.guard.store(guard_kind::mappings, memory_order_relaxed);  // relaxed: a setting
    }
    if (stacks.guard.load(memory_order_relaxed) == guard_kind::mappings) {
        if (take_guard_mapping() && mmap_protect_none(slot.lo, guard_bytes) == 0) return;
        stacks.guard.store(guard_kind::none, memory_order_relaxed);  // relaxed: a setting
        static constinit atomic<bool> said{false};
        if (!said.exchange(true, memory_order_relaxed))
            say_unguarded(max_map_count());  // relaxed: once
    }
}

// Guards the next slots of `a` before they are handed out, if the kernel can do many at once.
void guard_ahead(arena& a) ROTA_REQUIRES(stacks.mu) {
    if (!stacks.guard_ahead || stacks.guard.load(memory_order_relaxed) != guard_kind::markers)
        return;  // relaxed: see above
    const std::uint32_t left = a.slot_count - a.guarded;
    const std::uint32_t n = left < advice_batch_max ? left : std::uint32_t{advice_batch_max};
    if (mmap_guard_many(a.base + a.guarded * a.pitch(), a.pitch(), a.guard_pages * page_size, n) ==
        0)
        a.guarded += n;
    else stacks.guard_ahead = false;
}

// A slot from the lists. `bare`: it has no guard yet.
stack_slot take_slot(std::uint8_t cls, bool& bare) {
    const lock_guard guard(stacks.mu);
    for (;;) {
        const std::uint32_t n = stacks.open[cls];
        if (n == none) {
            if (!add_arena(cls)) return {};
            continue;
        }
        arena& a = stacks.arenas[n];
        if (a.cold_head != none) {
            const std::uint32_t index = a.cold_head;
            a.cold_head = a.cold_next[index];
            add_to(handed_out_bytes, a.pitch());
            return slot_at(a, n, index);
        }
        const std::uint32_t used =
            a.used.load(memory_order_relaxed);  // relaxed: changed under mu only
        if (used < a.slot_count) {
            if (used == a.guarded) guard_ahead(a);
            bare = used >= a.guarded;
            a.used.store(used + 1, memory_order_release);  // pairs(stack.used)
            bump(stacks.fresh);
            add_to(handed_out_bytes, a.pitch());
            return slot_at(a, n, used);
        }
        stacks.open[cls] =
            a.next_of_class;  // exhausted: back in the list when a slot is given back
        a.next_of_class = n;  // its own number says "not in the list"
    }
}

}  // namespace

constinit const stack_layout stacks_for_debuggers = {
    &stacks.published,
    &stacks.count,
    sizeof(arena),
    offsetof(arena, base),
    offsetof(arena, used),
    offsetof(arena, cls),
    offsetof(arena, guard_pages),
};

stack_slot stack_alloc(std::uint8_t cls) {
    ROTA_CHECK(cls < stack_class_count);
    bool bare = false;
    const stack_slot slot = take_slot(cls, bare);
    if (bare) install_guard(slot);
    if (ROTA_UNLIKELY(is_on_valgrind) && slot) tell_valgrind_of_stack(slot.usable_lo(), slot.hi);
    return slot;
}

// Those in use first, so that they are not more than there are.
stack_memory stack_bytes() {
    const std::size_t used = __atomic_load_n(&handed_out_bytes, __ATOMIC_RELAXED);
    const std::size_t all = __atomic_load_n(&slot_bytes, __ATOMIC_RELAXED);
    return {used, all > used ? all - used : 0, __atomic_load_n(&table_bytes, __ATOMIC_RELAXED)};
}

void stack_release(const stack_slot& slot) {
    mmap_decommit(slot.usable_lo(), slot.usable_size());
    const lock_guard guard(stacks.mu);
    arena& a = stacks.arenas[slot.arena];
    a.cold_next[slot.index] = a.cold_head;
    a.cold_head = slot.index;
    __atomic_fetch_sub(&handed_out_bytes, a.pitch(), __ATOMIC_RELAXED);
    if (a.next_of_class == slot.arena) {
        a.next_of_class = stacks.open[slot.cls];
        stacks.open[slot.cls] = slot.arena;
    }
}

// Our own frame, and those of what we call, are in use: they end within `margin`.
[[gnu::noinline]] void stack_trim() {
#if ROTA_ASAN || ROTA_TSAN || !defined(__OPTIMIZE__)
    constexpr std::uintptr_t margin = 2048;
#else
    constexpr std::uintptr_t margin = 512;
#endif
    if (stack_depths_kept.load(memory_order_relaxed)) return;  // relaxed: a setting
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    const stack_slot slot = stack_find(reinterpret_cast<const void*>(here));
    if (!slot) return;
    std::byte* const low = slot.usable_lo();
    const std::uintptr_t end = (here - margin) / page_size * page_size;
    const auto from = reinterpret_cast<std::uintptr_t>(low);
    if (end <= from) return;
    const std::int64_t began = nanotime_unseen();
    mmap_decommit(low, end - from);
    const auto took = static_cast<std::uint64_t>(nanotime_unseen() - began);
    __atomic_fetch_add(&trim_ns, took, __ATOMIC_RELAXED);
}

std::size_t stack_depth(const stack_slot& slot) {
    const std::size_t size = slot.usable_size();
    return size - mmap_untouched(slot.usable_lo(), size);
}

void stack_forget_depth(const stack_slot& slot) {
    mmap_decommit(slot.usable_lo(), slot.usable_size() - page_size);
}

std::uint64_t stack_trim_ns() { return __atomic_load_n(&trim_ns, __ATOMIC_RELAXED); }

namespace {

// The top pages of so many stacks in a row.
struct tops {
    std::byte* first = nullptr;
    std::size_t pitch = 0;  // bytes from one to the next
    std::uint32_t n = 0;
};

// Two threads that touch the same pages pay twice: who takes the slots is given a lead, touches
// those itself, and then runs through what has been touched here meanwhile.
tops tops_ahead(std::uint8_t cls) ROTA_REQUIRES(stacks.mu) {
    constexpr std::uint32_t lead = 32, ahead_max = 128, at_once = 16;
    if (stacks.open[cls] == none) return {};
    arena& a = stacks.arenas[stacks.open[cls]];
    const std::uint32_t used = a.used.load(memory_order_relaxed);  // relaxed: under mu
    const std::uint32_t from = a.touched > used + lead ? a.touched : used + lead;
    std::uint32_t to = used + ahead_max < a.slot_count ? used + ahead_max : a.slot_count;
    if (from >= to) return {};
    if (to > from + at_once) to = from + at_once;
    a.touched = to;
    return {a.base + (from + 1) * a.pitch() - page_size, a.pitch(), to - from};
}

}  // namespace

bool stack_guards_are_spent() {
    return stacks.guard.load(memory_order_relaxed) == guard_kind::none;  // relaxed: a setting
}

touch_result stack_touch_ahead(std::uint8_t cls) {
    constexpr std::uint32_t demand_min = 4;
    // relaxed, both: an estimate
    if (stacks.fresh.load(memory_order_relaxed) - stacks.fresh_seen.load(memory_order_relaxed) <
        demand_min)
        return touch_result::nothing_to_do;
    // Who takes slots comes first: to keep it waiting costs more than the pages do.
    if (!stacks.mu.try_acquire()) return touch_result::busy;
    stacks.fresh_seen.store(stacks.fresh.load(memory_order_relaxed), memory_order_relaxed);
    const tops ahead = tops_ahead(cls);
    stacks.mu.release();
    if (ahead.n == 0 || mmap_populate_many(ahead.first, ahead.pitch, page_size, ahead.n) != 0)
        return touch_result::nothing_to_do;
    return touch_result::done;
}

stack_slot stack_find(const void* address) {
    const arena* arenas = stacks.published.load(memory_order_acquire);  // pairs(stack.arenas)
    const std::uint32_t n = stacks.count.load(memory_order_acquire);    // pairs(stack.arenas)
    for (std::uint32_t i = 0; i < n; ++i) {
        const arena& a = arenas[i];
        const auto offset =
            reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(a.base);
        if (offset < a.bytes())
            return slot_at(a, i, static_cast<std::uint32_t>(offset / a.pitch()));
    }
    return {};
}

void stack_arenas(void (*visit)(const std::byte* lo, const std::byte* hi, void*), void* arg) {
    const arena* arenas = stacks.published.load(memory_order_acquire);  // pairs(stack.arenas)
    const std::uint32_t n = stacks.count.load(memory_order_acquire);    // pairs(stack.arenas)
    for (std::uint32_t i = 0; i < n; ++i) {
        const arena& a = arenas[i];
        visit(a.base, a.base + a.bytes(), arg);
    }
}

bool stack_for_some(stack_place& at, std::uint32_t count, void (*visit)(const stack_slot&, void*),
                    void* arg) {
    const arena* arenas = stacks.published.load(memory_order_acquire);  // pairs(stack.arenas)
    const std::uint32_t n = stacks.count.load(memory_order_acquire);    // pairs(stack.arenas)
    for (; at.arena < n; ++at.arena, at.index = 0) {
        const arena& a = arenas[at.arena];
        const std::uint32_t used = a.used.load(memory_order_acquire);  // pairs(stack.used)
        for (; at.index < used; ++at.index) {
            if (count-- == 0) return true;
            visit(slot_at(a, at.arena, at.index), arg);
        }
    }
    return false;
}

void stack_for_each(void (*visit)(const stack_slot&, void*), void* arg) {
    stack_place at;
    stack_for_some(at, ~std::uint32_t{0}, visit, arg);
}

}  // namespace rota::rt
