// Notes the stacks of leaving goroutines, and keeps the table of the mutexes they hold.
#include "sched/base/park_check.hpp"

#include <algorithm>
#include <limits>

#include "core/getg.hpp"
#include "mem/mapped.hpp"
#include "sys/call/clock.hpp"
#include "sys/call/futex.hpp"
#include "sys/thread/thread.hpp"
#include "trace/own_stack.hpp"

namespace rota::rt {

// A mutex that a goroutine holds.
struct held_slot {
    // goid of the holder; 0: free. Written by the goroutine that takes the slot and frees it.
    atomic<std::uint64_t> goid{0};

    // --- owner: that goroutine ----------------------------------------------------------------
    held_mutex what;
    std::uint32_t depth;  // how often a recursive mutex is locked
};

namespace {

constexpr std::size_t notes_size = 4096, held_size = 32 * 1024;
constexpr std::size_t note_probes = 32, held_probes = 16;

constexpr std::uint64_t mixed(std::uint64_t h, std::uint64_t value) {
    h = (h ^ value) * 0x9e3779b97f4a7c15;
    return h ^ h >> 29;
}

held_slot& slot_of(std::uint64_t goid, std::size_t probe) {
    return park_check.held[(mixed(0, goid) + probe) % held_size];
}

void ring_bell() {
    (void)park_check.bell.fetch_add(1, memory_order_release);  // pairs(parkcheck.bell)
    futex_wake(park_check.bell, 1);
}

void note_loss() {
    // relaxed: a count. Only the first loss rings; the reader reports it.
    if (park_check.lost_count.fetch_add(1, memory_order_relaxed) == 0) ring_bell();
}

// The goroutine in user code that runs here; null: a thread, or code of the runtime.
const g* user_goroutine() {
    const m* const mp = getm_or_null();
    // relaxed: written by this thread
    if (mp == nullptr || mp->in_runtime.load(memory_order_relaxed) != 0) return nullptr;
    return mp->curg->is_thread ? nullptr : mp->curg;
}

held_slot* find_held(std::uint64_t goid, const void* mutex) {
    for (std::size_t i = 0; i < held_probes; ++i) {
        held_slot& s = slot_of(goid, i);
        // relaxed: only goid itself writes this number, and reads the fields that belong to it
        if (s.goid.load(memory_order_relaxed) == goid && s.what.mutex == mutex) return &s;
    }
    return nullptr;
}

// Takes a free slot; null: no slot is free.
held_slot* take_slot(std::uint64_t goid) {
    for (std::size_t i = 0; i < held_probes; ++i) {
        held_slot& s = slot_of(goid, i);
        std::uint64_t none = 0;
        if (s.goid.load(memory_order_relaxed) == 0 &&  // relaxed: the exchange decides
            s.goid.compare_exchange(none, goid, memory_order_acquire,  // pairs(parkcheck.slot)
                                    memory_order_relaxed))             // relaxed: nothing is read
            return &s;
    }
    return nullptr;
}

// Finds the mutexes that goid must not hold when it leaves its thread. Any thread may unlock a
// plain mutex: it does harm while its holder waits, not where the holder only changes its thread.
std::uint8_t find_all_held(std::uint64_t goid, bool waits, held_mutex* out) {
    std::uint8_t n = 0;
    for (std::size_t i = 0; i < held_probes && n < noted_park::mutexes_max; ++i) {
        const held_slot& s = slot_of(goid, i);
        if (s.goid.load(memory_order_relaxed) != goid) continue;  // relaxed: as above
        if (waits || s.what.knows_owner) out[n++] = s.what;
    }
    return n;
}

// Bytes of the goroutine's stack that a walk needs. A stack with less room is not walked.
constexpr std::ptrdiff_t walk_room = 20 * 1024;

bool has_room(const g& gp) {
    const auto* const here = static_cast<const std::byte*>(__builtin_frame_address(0));
    // On a stack that the program has made, the room is unknown.
    return here < gp.stack.lo || here >= gp.stack.hi || here - gp.stack.usable_lo() >= walk_room;
}

// The place for a stack that has not been noted yet; null: the stack is noted already, or there is
// no room.
noted_park* place_for(std::uint64_t key) {
    for (std::size_t i = 0; i < note_probes; ++i) {
        noted_park& note = park_check.notes[(key + i) % notes_size];
        std::uint64_t seen = note.key.load(memory_order_relaxed);  // relaxed: a number
        // relaxed: the list publishes the note's contents
        if (seen == 0 &&
            note.key.compare_exchange(seen, key, memory_order_relaxed, memory_order_relaxed))
            return &note;
        if (seen == key) return nullptr;
    }
    note_loss();
    return nullptr;
}

void publish(noted_park& note) {
    noted_park* first = park_check.fresh.load(memory_order_relaxed);  // relaxed: exchanged below
    do {
        note.next = first;
    } while (!park_check.fresh.compare_exchange(first, &note,
                                                memory_order_release,  // pairs(parkcheck.note)
                                                memory_order_relaxed));  // relaxed: tried again
    (void)park_check.note_count.fetch_add(1, memory_order_relaxed);  // relaxed: a count
    ring_bell();
}

}  // namespace

void park_check_begin(bool notes_all, bool notes_mutexes) {
    park_check.notes = static_cast<noted_park*>(mapped_pages(notes_size * sizeof(noted_park)));
    park_check.held = static_cast<held_slot*>(mapped_pages(held_size * sizeof(held_slot)));
    park_check.notes_all = notes_all;
    park_check.notes_mutexes = notes_mutexes;
    park_check.is_on = true;
}

ROTA_NOINLINE void note_leaving(const g& gp) {
    const bool waits = readgstatus(gp) == g_status::waiting;
    held_mutex held[noted_park::mutexes_max];
    const std::uint8_t held_count =
        park_check.notes_mutexes ? find_all_held(gp.goid, waits, held) : std::uint8_t{0};
    if (held_count == 0 && !park_check.notes_all) return;
    if (!has_room(gp)) return note_loss();
    std::uintptr_t pcs[noted_park::pcs_max];
    const std::size_t n = own_stack(pcs, noted_park::pcs_max);
    std::uint64_t key = mixed(n, waits);
    for (std::size_t i = 0; i < n; ++i) key = mixed(key, pcs[i]);
    for (std::size_t i = 0; i < held_count; ++i)
        key = mixed(key, reinterpret_cast<std::uintptr_t>(held[i].locked_at));
    noted_park* const note = place_for(std::max(key, std::uint64_t{1}));
    if (note == nullptr) return;
    note->goid = gp.goid;
    note->parent_goid = gp.parent_goid;
    note->created_at = gp.created_at;
    note->is_main = gp.main_of != nullptr;
    note->waits = waits;
    note->why = gp.why;
    const std::string_view name = name_of(gp);
    const std::size_t size = std::min(name.size(), noted_park::name_max - 1);
    std::copy_n(name.data(), size, note->name);
    note->name[size] = '\0';
    note->mutex_count = held_count;
    std::copy_n(held, held_count, note->mutexes);
    note->pc_count = static_cast<std::uint16_t>(n);
    std::copy_n(pcs, n, note->pcs);
    publish(*note);
}

void note_mutex_locked(const void* mutex, const void* locked_at, bool knows_owner) {
    const g* const gp = user_goroutine();
    if (gp == nullptr) return;
    if (held_slot* const known = find_held(gp->goid, mutex)) {
        ++known->depth;
        return;
    }
    held_slot* const s = take_slot(gp->goid);
    if (s == nullptr) return note_loss();
    s->what = {mutex, locked_at, knows_owner};
    s->depth = 1;
}

void note_mutex_unlocked(const void* mutex) {
    const g* const gp = user_goroutine();
    held_slot* const s = gp == nullptr ? nullptr : find_held(gp->goid, mutex);
    if (s == nullptr || --s->depth != 0) return;
    s->goid.store(0, memory_order_release);  // pairs(parkcheck.slot)
}

noted_park* take_noted_parks() {
    // pairs(parkcheck.note)
    noted_park* latest = park_check.fresh.exchange(nullptr, memory_order_acquire);
    noted_park* first = nullptr;
    while (latest != nullptr) {
        noted_park* const before = latest->next;
        latest->next = first;
        first = latest;
        latest = before;
    }
    return first;
}

void wait_for_bell(std::uint32_t seen) {
    while (park_check.bell.load(memory_order_acquire) == seen)  // pairs(parkcheck.bell)
        (void)futex_wait(park_check.bell, seen, no_deadline);
}

void wait_for_park_reports() {
    // relaxed: set in the only thread of the forked child, which has no reader
    if (!park_check.is_on || sched.forked.load(memory_order_relaxed)) return;
    constexpr std::int64_t patience = 2'000'000'000;
    constexpr long nap = 200'000;
    // relaxed, both: counts
    const std::uint32_t noted = park_check.note_count.load(memory_order_relaxed);
    const std::int64_t until = nanotime() + patience;
    while (park_check.read_count.load(memory_order_relaxed) < noted && nanotime() < until)
        thread_sleep_ns(nap);
}

}  // namespace rota::rt
