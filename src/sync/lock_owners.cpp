// The table of lock owners: parts of a few places each, found by the mutex's address.
#include "sync/lock_owners.hpp"

#include <cstddef>

#include <rota/sync/shared_mutex.hpp>

#include "core/getg.hpp"
#include "mem/mapped.hpp"
#include "sys/thread/lock.hpp"

namespace rota::rt {

struct lock_owner_table {
    static constexpr std::size_t part_count = 4096, places = 8;  // of locks held at one moment
    struct note {
        const mutex* of = nullptr;  // null: free
        lock_owner who;
    };
    struct part {
        lock mu{lock_rank::lock_owners};
        note notes[places] ROTA_GUARDED_BY(mu) = {};
    };
    part parts[part_count];
};

namespace {

using owner_note = lock_owner_table::note;
using part_of_owners = lock_owner_table::part;

part_of_owners* part_of(const mutex& m) {
    lock_owner_table* const t =
        __atomic_load_n(&lock_owners.table, __ATOMIC_ACQUIRE);  // pairs(owners.table)
    if (t == nullptr) return nullptr;
    const auto address = reinterpret_cast<std::uintptr_t>(&m);
    return &t->parts[(address * 0x9e3779b97f4a7c15) >> 52];
}
static_assert(lock_owner_table::part_count == std::size_t{1} << (64 - 52));

void begin_mutexes_as(std::uint32_t state) {
    __atomic_store_n(&detail::mutex_begins_as, state, __ATOMIC_RELAXED);  // relaxed: see there
}

}  // namespace

lock_owner_memory where_lock_owners_are() {
    const lock_owner_table* const t =
        __atomic_load_n(&lock_owners.table, __ATOMIC_ACQUIRE);  // pairs(owners.table)
    return t == nullptr ? lock_owner_memory{} : lock_owner_memory{t, t + 1};
}

void watch_locks() {
    if (are_locks_watched()) return;
    lock_owner_table& fresh = mapped_new<lock_owner_table>();
    lock_owner_table* none = nullptr;
    // If two threads come at once, one table is lost. pairs(owners.table)
    __atomic_compare_exchange_n(&lock_owners.table, &none, &fresh, false, __ATOMIC_RELEASE,
                                __ATOMIC_RELAXED);
    begin_mutexes_as(lock_view::untold());
    stop_owners_sequences();
}

void locks_begin_unwatched() { begin_mutexes_as(0); }

void note_lock_owner(const mutex& m) {
    part_of_owners* const part = part_of(m);
    const g* const gp = getm().curg;
    if (part == nullptr) return;
    const lock_guard guard(part->mu);
    owner_note* place = nullptr;
    for (owner_note& n : part->notes) {
        if (n.of == &m) {
            place = &n;  // the note of a mutex that was destroyed while it was locked
            break;
        }
        if (n.of == nullptr && place == nullptr) place = &n;
    }
    if (place == nullptr) return;
    *place = {&m, {gp, owner_number(*gp)}};
}

std::uint64_t owner_number(const g& gp) {
    constexpr std::uint64_t is_thread = std::uint64_t{1} << 63;
    if (!gp.is_thread) return gp.goid;
    return is_thread | gp.mp->id << 32 | gp.mp->attached;
}

void forget_lock_owner(const mutex& m) {
    part_of_owners* const part = part_of(m);
    if (part == nullptr) return;
    const lock_guard guard(part->mu);
    for (owner_note& n : part->notes) {
        if (n.of == &m) n = {};
    }
}

lock_owner find_lock_owner(const mutex& m) {
    part_of_owners* const part = part_of(m);
    if (part == nullptr) return {};
    const lock_guard guard(part->mu);
    for (const owner_note& n : part->notes) {
        if (n.of == &m) return n.who;
    }
    return {};
}

const mutex* lock_view::wanted(const void* word, wait_reason why) {
    const auto* const at = static_cast<const std::byte*>(word);
    if (why == wait_reason::mutex_lock)
        return reinterpret_cast<const mutex*>(at - offsetof(mutex, sema_));
    if (why == wait_reason::rwmutex_rlock) {
        return reinterpret_cast<const mutex*>(at - offsetof(shared_mutex, reader_sema_) +
                                              offsetof(shared_mutex, writers_));
    }
    return nullptr;
}

bool lock_view::is_watched_and_locked(const mutex& m) {
    constexpr std::uint32_t both = mutex::locked | mutex::watched;
    // relaxed: the note, which is looked up under a lock, was made behind the bits
    return (m.state_.load(std::memory_order_relaxed) & both) == both;
}

}  // namespace rota::rt

namespace rota::detail {

constinit std::uint32_t mutex_begins_as = rt::lock_view::untold();

}  // namespace rota::detail
