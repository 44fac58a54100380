// Waits for counts by address: the table in which waiters of mutex, shared_mutex and fd_mutex
// sleep. Go: runtime/sema.go.
//
// The count is a word in the user's object. The waiters are in this table, in 251 hashed roots.
// Each root has a lock and a treap keyed by address; each node carries a FIFO list. A release
// either wakes a waiter, which keeps the object alive until then, or adds to the object's word
// once: the object may be destroyed as soon as the count is in the word.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "core/status.hpp"
#include "sys/thread/lock.hpp"

namespace rota::rt {

struct g;
struct sudog;

using sema_word = atomic<std::uint32_t>;

// Waits until the word is above 0, and takes 1 from it. `lifo`: waits in front of the other
// waiters. Caller: inside a runtime_entry. Parks. Go: semacquire1.
void sem_acquire(sema_word& word, bool lifo, wait_reason why);

// Gives a count to the first waiter, or adds 1 to the word. `handoff`: the waiter runs at once.
// Caller: inside a runtime_entry. Yields, if `handoff`. Go: semrelease1.
void sem_release(sema_word& word, bool handoff);

// Counts a finished wait for a lock, of a goroutine or a thread. Caller: inside a runtime_entry.
void count_lock_wait(std::int64_t ns);

// Calls visit for each waiter of the table, root by root, under the root's lock. A waiter that
// comes or goes meanwhile may be missed, or visited twice. Takes: each root's lock.
void sem_for_each_waiter(void (*visit)(void* arg, const sudog&), void* arg);

// Calls visit(arg, gp, address) for each goroutine that waits for a count, except in roots with a
// held lock. No goroutine may run meanwhile. sema_table() tells where the table lies: pointers to
// waiters in it do not count, since only a thread that knows the address can wake them.
void visit_semaphores(void (*visit)(void* arg, const g& gp, const void* address), void* arg);
struct sema_table_extent {
    const void* lo;
    const void* hi;
};
sema_table_extent sema_table();

// Ends the process with a report if a waiter sleeps at the word. The word is part of the object
// `what`, which is being destroyed. Caller: outside the runtime.
void sem_report_waiters(const char* what, const void* word);

// The lock of the root to which the address belongs. Takes: nothing below it.
lock& sem_lock(const void* address);

}  // namespace rota::rt
