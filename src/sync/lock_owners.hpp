// Who holds which mutex, while somebody wants to know: what the search for deadlocks reads.
//
// A table of its own, by the mutex's address: a mutex has no room for its owner, and locks that
// nobody watches pay nothing. A part of it that is full notes no more; whose owner is not noted has
// none that is known. See sync/mutex.cpp for when notes are made and taken back, and what they
// miss.
#pragma once

#include <cstddef>
#include <cstdint>

#include <rota/sync/mutex.hpp>

#include "base/annotations.hpp"
#include "core/g.hpp"

namespace rota::rt {

struct lock_owner_table;

struct lock_owners_t {
    lock_owner_table* table = nullptr;  // __atomic; null until locks are watched, then fixed
};
inline constinit lock_owners_t lock_owners;

// Asked by every slow lock and unlock, so no atomic of ours: it would be a choice to the explorer
// of schedules. relaxed: whoever is late in seeing it makes no note.
ROTA_ALWAYS_INLINE bool are_locks_watched() {
    return __atomic_load_n(&lock_owners.table, __ATOMIC_RELAXED) != nullptr;
}

// Where the notes lie, which name goroutines and mutexes to nobody but us; empty before.
struct lock_owner_memory {
    const void* lo = nullptr;
    const void* hi = nullptr;
};
lock_owner_memory where_lock_owners_are();

// From now on, for the life of the process. Any thread. Takes: mapped.
void watch_locks();
// Mutexes that are made from now on need not ask whether locks are watched. Caller: boot, if it has
// not called watch_locks.
void locks_begin_unwatched();

// The goroutine, or thread of the program's own, that runs here has locked it. Caller: inside a
// runtime_entry, which holds it.
void note_lock_owner(const mutex& m);
// It is about to be unlocked, by whomsoever. Caller: inside a runtime_entry.
void forget_lock_owner(const mutex& m);

struct lock_owner {
    const g* gp = nullptr;   // null: not known. It may have ended
    std::uint64_t goid = 0;  // as from owner_number
};

// The goroutine's number, or one that only this thread ever has: records of threads are used again.
std::uint64_t owner_number(const g& gp);

// Caller: not to be stopped.
lock_owner find_lock_owner(const mutex& m);

// What locks say of themselves to those who search.
struct lock_view {
    // The mutex that must be unlocked before who waits at this word for `why` can go on; null: it
    // does not wait for a mutex. One who wants to read waits for the mutex of the writer.
    static const mutex* wanted(const void* word, wait_reason why);
    // Whether it is locked, and its owner would be noted. Of a mutex that exists.
    static bool is_watched_and_locked(const mutex& m);

    // What a mutex begins with that asks at its first lock whether locks are watched.
    static constexpr std::uint32_t untold() { return mutex::untold; }

    // For debuggers: where a mutex has its state, and what the bits of that say.
    static constexpr std::size_t state_offset() { return offsetof(mutex, state_); }
    static constexpr std::uint32_t locked_bit() { return mutex::locked; }
    static constexpr std::uint32_t starving_bit() { return mutex::starving; }
    static constexpr std::uint32_t waiter_unit() { return mutex::waiter; }
};

}  // namespace rota::rt
