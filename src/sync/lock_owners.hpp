// Records which goroutine holds which mutex, while locks are watched. The search for deadlocks
// reads it.
//
// The table is separate, by the mutex's address: a mutex has no room for its owner, and locks that
// are not watched pay nothing. A full part of the table takes no more notes; an owner without a
// note counts as unknown. See sync/mutex.cpp for when notes are made and taken back, and what they
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

// Asked by every slow lock and unlock. Not one of rota's atomics, since it would be a choice for
// the explorer of schedules. relaxed: a thread that sees the table late makes no note.
ROTA_ALWAYS_INLINE bool are_locks_watched() {
    return __atomic_load_n(&lock_owners.table, __ATOMIC_RELAXED) != nullptr;
}

// The memory of the notes. Its pointers to goroutines and mutexes make nothing reachable for the
// program. Empty before locks are watched.
struct lock_owner_memory {
    const void* lo = nullptr;
    const void* hi = nullptr;
};
lock_owner_memory where_lock_owners_are();

// Watches locks from this call on, for the life of the process. Any thread. Takes: mapped.
void watch_locks();
// Mutexes made after this call need not ask whether locks are watched. Caller: boot, if it has not
// called watch_locks.
void locks_begin_unwatched();

// Notes that the calling goroutine, or thread of the program's own, has locked m. Caller: inside a
// runtime_entry, and holds m.
void note_lock_owner(const mutex& m);
// Takes the note back before m is unlocked, by any goroutine. Caller: inside a runtime_entry.
void forget_lock_owner(const mutex& m);

struct lock_owner {
    const g* gp = nullptr;   // null: not known; the goroutine may have ended
    std::uint64_t goid = 0;  // as from owner_number
};

// The goroutine's number, or for a thread a number that no other thread ever has, since records of
// threads are reused.
std::uint64_t owner_number(const g& gp);

// Caller: not to be stopped.
lock_owner find_lock_owner(const mutex& m);

// A view of the private parts of locks, for searches and debuggers.
struct lock_view {
    // The mutex that must be unlocked before a waiter at this word, which waits for `why`, can go
    // on. Null: it does not wait for a mutex. A reader waits for the mutex of the writer.
    static const mutex* wanted(const void* word, wait_reason why);
    // Whether m, which must exist, is locked and its owner would be noted.
    static bool is_watched_and_locked(const mutex& m);

    // The initial state of a mutex that asks at its first lock whether locks are watched.
    static constexpr std::uint32_t untold() { return mutex::untold; }

    // For debuggers: where a mutex keeps its state, and the meaning of its bits.
    static constexpr std::size_t state_offset() { return offsetof(mutex, state_); }
    static constexpr std::uint32_t locked_bit() { return mutex::locked; }
    static constexpr std::uint32_t starving_bit() { return mutex::starving; }
    static constexpr std::uint32_t waiter_unit() { return mutex::waiter; }
};

}  // namespace rota::rt
