// Manages the arenas of stack slots. Hot stacks never come here: dead goroutines keep theirs
// (sched/goroutine/gfree).
#include "mem/stack.hpp"

#include <cerrno>
#include <new>

#include "arch/prefetch.hpp"
#include "base/atomic.hpp"
#include "base/check.hpp"
#include "base/fatal.hpp"
#include "mem/stack_room.hpp"
#include "sys/call/call.hpp"
#include "sys/call/clock.hpp"
#include "sys/call/mmap.hpp"
#include "sys/call/valgrind.hpp"
#include "sys/thread/lock.hpp"
#include "sys/thread/thread.hpp"

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
    std::uint32_t* next = nullptr;  // per slot: the next slot of its list; pages come on touch

    // --- under stacks.mu; any thread reads `used` ----------------------------------
    atomic<std::uint32_t> used{0};       // slots that have been claimed, from the bottom up
    std::uint32_t cold_head = none;      // slots given back
    std::uint32_t ready_head = none;     // slots that are prepared and were never handed out
    std::uint32_t ready_count = 0;       // slots in that list
    std::uint32_t next_of_class = none;  // arenas of this class that still have slots

    std::size_t pitch() const { return stack_pitch(cls, guard_pages); }
    std::size_t bytes() const { return slot_count * pitch(); }
};

enum class guard_kind : std::uint8_t { markers, mappings, none };

struct stack_table {
    lock mu{lock_rank::stack};
    arena* arenas ROTA_GUARDED_BY(mu) = nullptr;  // one reserved array, never moved
    std::uint32_t open[stack_class_count] ROTA_GUARDED_BY(mu) = {
        none, none, none, none, none, none, none, none, none, none, none, none, none};
    long guards_left ROTA_GUARDED_BY(mu) =
        -1;  // mappings kind: how many more may be set; -1: unknown

    // Slots of the class that threads have claimed and not yet put into a list.
    std::uint32_t preparing[stack_class_count] ROTA_GUARDED_BY(mu) = {};

    // --- anyone -----------------------------------------------------------------------
    atomic<guard_kind> guard{guard_kind::markers};
    atomic<bool> many_guards{true};  // the kernel guards many slots in one call
    atomic<bool> many_tops{true};    // the kernel commits pages of many slots in one call

    // --- written under mu, read by anyone -------------------------------------------
    atomic<std::uint32_t> fresh{0};       // slots ever taken from an arena; relaxed: demand
    atomic<std::uint32_t> fresh_seen{0};  // `fresh` when tops were last touched ahead
    atomic<arena*> published{nullptr};
    atomic<std::uint32_t> count{0};
};
constinit stack_table stacks;

// For reports. Not atomics of ours, for the reason in mem/mapped.
constinit std::size_t slot_bytes = 0;        // bytes of every slot
constinit std::size_t handed_out_bytes = 0;  // bytes of slots in use
constinit std::uint64_t trim_ns = 0;         // ns spent in stack_trim
constinit std::size_t table_bytes = 0;       // bytes of the arenas' tables

void add_to(std::size_t& sum, std::size_t bytes) {
    __atomic_fetch_add(&sum, bytes, __ATOMIC_RELAXED);
}

std::size_t metadata_bytes(std::uint32_t slot_count) {
    const std::size_t bytes = slot_count * sizeof(std::uint32_t);
    return (bytes + page_size - 1) / page_size * page_size;
}

// Reserves an arena of `cls`, in smaller and smaller sizes while the kernel refuses; the last try
// is one slot with a short guard. False: even that is refused.
bool reserve(arena& a, std::uint8_t cls) {
    arena_plan plan = plan_arena(cls, read_address_space());
    for (;;) {
        const std::size_t pitch = stack_pitch(cls, plan.guard_pages);
        const std::size_t bytes = plan.slots * pitch, extra = metadata_bytes(plan.slots);
        if (void* start = mmap_reserve(bytes + extra)) {
            a.base = static_cast<std::byte*>(start);
            a.next = reinterpret_cast<std::uint32_t*>(a.base + bytes);
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

// Counts one more slot guarded by mappings. False: there may be no more.
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

// Runs without the lock: the kernel takes about a microsecond, and only the caller uses the slot.
void install_guard(const stack_slot& slot) {
    const std::size_t guard_bytes = slot.guard_pages * page_size;
    // relaxed: a thread that sees an old setting finds out by itself
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

// Fresh slots in a row. They are in no list. The thread that has claimed them prepares them without
// the lock, and then uses them or puts them into the arena's list of prepared slots.
//
//     fresh ──claim, under stacks.mu──► prepared by one thread ──► in use
//                                                              ──► ready ──► in use
//
// Invariant: each slot that is ready, cold or in use has its guard, as far as the kernel grants
// any.
struct claim {
    std::uint32_t arena = 0, first = 0, n = 0;
};

constexpr std::uint32_t claim_max = 16;  // some 30 us to prepare
static_assert(claim_max <= advice_batch_max);

std::uint32_t clamped(std::uint32_t n, std::uint32_t least, std::uint32_t most) {
    return n < least ? least : n < most ? n : most;
}

claim claim_slots(std::uint32_t n, std::uint32_t most) ROTA_REQUIRES(stacks.mu) {
    arena& a = stacks.arenas[n];
    const std::uint32_t used = a.used.load(memory_order_relaxed);  // relaxed: changed under mu only
    const std::uint32_t left = a.slot_count - used;
    const claim c{n, used, left < most ? left : most};
    a.used.store(used + c.n, memory_order_release);  // pairs(stack.used)
    return c;
}

// Whether the kernel will refuse each further call of that kind too: it does not know the call, the
// advice or PIDFD_SELF (EBADF), or a filter forbids it. A lack of memory passes.
constexpr bool is_for_good(int error) {
    return is_absent(-error) || error == EINVAL || error == EBADF;
}

// Installs the guards of a claim, which never includes slots in use.
void install_guards(const arena& a, const claim& c) {
    // relaxed, both: settings
    if (c.n > 1 && stacks.many_guards.load(memory_order_relaxed)) {
        const std::size_t pitch = a.pitch();
        const int error =
            mmap_guard_many(a.base + c.first * pitch, pitch, a.guard_pages * page_size, c.n);
        if (error == 0) return;
        if (is_for_good(error)) stacks.many_guards.store(false, memory_order_relaxed);
    }
    for (std::uint32_t i = 0; i < c.n; ++i) install_guard(slot_at(a, c.arena, c.first + i));
}

// Makes the kernel commit the highest page of each slot. For a single slot that is no gain: its
// page comes on touch.
void touch_tops(const arena& a, const claim& c) {
    // relaxed, both: settings
    if (c.n < 2 || !stacks.many_tops.load(memory_order_relaxed)) return;
    const std::size_t pitch = a.pitch();
    std::byte* const first = a.base + (c.first + 1) * pitch - page_size;
    if (is_for_good(mmap_populate_many(first, pitch, page_size, c.n)))
        stacks.many_tops.store(false, memory_order_relaxed);
}

void prepare(const arena& a, const claim& c) {
    install_guards(a, c);
    touch_tops(a, c);
}

// Called once for each slot, for as long as the process lives.
void tell_valgrind_of_claim(const arena& a, const claim& c) {
    if (ROTA_LIKELY(!is_on_valgrind)) return;
    for (std::uint32_t i = 0; i < c.n; ++i) {
        const stack_slot slot = slot_at(a, c.arena, c.first + i);
        tell_valgrind_of_stack(slot.usable_lo(), slot.hi);
    }
}

// Puts an arena that has slots again back into the list of open arenas.
void reopen(arena& a, std::uint32_t n) ROTA_REQUIRES(stacks.mu) {
    if (a.next_of_class != n) return;
    a.next_of_class = stacks.open[a.cls];
    stacks.open[a.cls] = n;
}

// The next slot is written soon: its first use would wait for the walk through the page tables.
void expect_use_of_ready(const arena& a) ROTA_REQUIRES(stacks.mu) {
    if (a.ready_head != none)
        prefetch_to_write(a.base + (a.ready_head + 1) * a.pitch() - cache_line);
}

// Puts the slots of a claim that the caller does not use into the ready list, in their order.
void put_ready(arena& a, const claim& c) {
    if (c.n == 0) return;
    const lock_guard guard(stacks.mu);
    for (std::uint32_t i = c.first + c.n; i-- > c.first;) {
        a.next[i] = a.ready_head;
        a.ready_head = i;
    }
    a.ready_count += c.n;
    stacks.preparing[a.cls] -= c.n;
    expect_use_of_ready(a);
    reopen(a, c.arena);
}

// Number of fresh slots that a thread claims when it needs one: no more than an eighth of the used
// slots, so that few pages are committed in vain.
std::uint32_t claim_of_taker(const arena& a) ROTA_REQUIRES(stacks.mu) {
    // relaxed, both: settings
    if (stacks.guard.load(memory_order_relaxed) != guard_kind::markers ||
        !stacks.many_guards.load(memory_order_relaxed))
        return 1;
    // relaxed: changed under mu only
    return clamped(a.used.load(memory_order_relaxed) / 8, 1, claim_max);
}

// Takes the first slot of a list.
std::uint32_t pop(arena& a, std::uint32_t& head) ROTA_REQUIRES(stacks.mu) {
    const std::uint32_t index = head;
    head = a.next[index];
    return index;
}

// Takes a slot from the lists, or claims fresh slots, of which the caller prepares each and uses
// the first. No slot: `comes` says whether threads are about to put some into the lists.
stack_slot take_slot(std::uint8_t cls, claim& fresh, bool& comes) {
    const lock_guard guard(stacks.mu);
    for (;;) {
        const std::uint32_t n = stacks.open[cls];
        if (n == none) {
            if (add_arena(cls)) continue;
            comes = stacks.preparing[cls] > 0;
            return {};
        }
        arena& a = stacks.arenas[n];
        if (a.cold_head != none) {
            add_to(handed_out_bytes, a.pitch());
            return slot_at(a, n, pop(a, a.cold_head));
        }
        if (a.ready_head != none) {
            --a.ready_count;
            bump(stacks.fresh);
            add_to(handed_out_bytes, a.pitch());
            const std::uint32_t index = pop(a, a.ready_head);
            expect_use_of_ready(a);
            return slot_at(a, n, index);
        }
        fresh = claim_slots(n, claim_of_taker(a));
        if (fresh.n > 0) {
            bump(stacks.fresh);
            stacks.preparing[cls] += fresh.n - 1;
            add_to(handed_out_bytes, a.pitch());
            return slot_at(a, n, fresh.first);
        }
        stacks.open[cls] = a.next_of_class;  // exhausted: see reopen
        a.next_of_class = n;                 // its own number says "not in the list"
    }
}

// The arena by its number, for a thread without the lock.
arena& arena_at(std::uint32_t n) {
    return stacks.published.load(memory_order_acquire)[n];  // pairs(stack.arenas)
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
    claim fresh;
    bool comes = false;
    stack_slot slot = take_slot(cls, fresh, comes);
    // The kernel gives no more: other threads prepare the last slots, which takes some 30 us of a
    // thread's time.
    while (!slot && comes) {
        thread_yield();
        slot = take_slot(cls, fresh, comes);
    }
    if (fresh.n > 0) {
        arena& a = arena_at(fresh.arena);
        prepare(a, fresh);
        tell_valgrind_of_claim(a, fresh);
        put_ready(a, {fresh.arena, fresh.first + 1, fresh.n - 1});
    }
    return slot;
}

// Reads the used bytes first, so that they do not exceed the total.
stack_memory stack_bytes() {
    const std::size_t used = __atomic_load_n(&handed_out_bytes, __ATOMIC_RELAXED);
    const std::size_t all = __atomic_load_n(&slot_bytes, __ATOMIC_RELAXED);
    return {used, all > used ? all - used : 0, __atomic_load_n(&table_bytes, __ATOMIC_RELAXED)};
}

void stack_release(const stack_slot& slot) {
    mmap_decommit(slot.usable_lo(), slot.usable_size());
    const lock_guard guard(stacks.mu);
    arena& a = stacks.arenas[slot.arena];
    a.next[slot.index] = a.cold_head;
    a.cold_head = slot.index;
    __atomic_fetch_sub(&handed_out_bytes, a.pitch(), __ATOMIC_RELAXED);
    reopen(a, slot.arena);
}

// Our own frame and those of our callees are in use: they end within `margin`.
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

bool stack_guards_are_spent() {
    return stacks.guard.load(memory_order_relaxed) == guard_kind::none;  // relaxed: a setting
}

namespace {

// Claims the slots that an idle thread prepares. Guards of mappings are too few for slots that may
// never be used.
claim claim_ahead(std::uint8_t cls) ROTA_REQUIRES(stacks.mu) {
    constexpr std::uint32_t ready_min = 16, ready_max = 128;
    const std::uint32_t n = stacks.open[cls];
    if (n == none || stacks.guard.load(memory_order_relaxed) != guard_kind::markers)
        return {};  // relaxed: a setting
    const arena& a = stacks.arenas[n];
    // relaxed: changed under mu only
    const std::uint32_t enough =
        clamped(a.used.load(memory_order_relaxed) / 4, ready_min, ready_max);
    if (a.ready_count >= enough) return {};
    const claim c = claim_slots(n, clamped(enough - a.ready_count, 1, claim_max));
    stacks.preparing[cls] += c.n;
    return c;
}

}  // namespace

touch_result stack_touch_ahead(std::uint8_t cls) {
    constexpr std::uint32_t demand_min = 4;
    // relaxed, both: an estimate
    if (stacks.fresh.load(memory_order_relaxed) - stacks.fresh_seen.load(memory_order_relaxed) <
        demand_min)
        return touch_result::nothing_to_do;
    // A thread that takes slots comes first: to keep it waiting costs more than the pages do.
    if (!stacks.mu.try_acquire()) return touch_result::busy;
    stacks.fresh_seen.store(stacks.fresh.load(memory_order_relaxed), memory_order_relaxed);
    const claim c = claim_ahead(cls);
    stacks.mu.release();
    if (c.n == 0) return touch_result::nothing_to_do;
    arena& a = arena_at(c.arena);
    prepare(a, c);
    tell_valgrind_of_claim(a, c);
    put_ready(a, c);
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
