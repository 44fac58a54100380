// Semaphores by address: the table on which mutex and wait_group sleep.
//
// The count is a word in the user's object; waiters are here, in 251 hashed roots, each with a lock
// and a treap keyed by address whose nodes carry a FIFO list. A release either wakes a waiter,
// whose object lives until then, or touches the object's word once: the object may be destroyed as
// soon as the word has been given. Go: runtime/sema.go.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "core/status.hpp"
#include "sys/lock.hpp"

namespace rota::rt {

struct g;
struct sudog;

using sema_word = atomic<std::uint32_t>;

// Waits until the word is above 0 and takes one. `lifo`: in front of the other waiters.
// Caller: inside a runtime_entry. Parks. Go: semacquire1.
void sem_acquire(sema_word& word, bool lifo, wait_reason why);

// Gives one to the first waiter, or adds it to the word. `handoff`: the waiter runs at once.
// Caller: inside a runtime_entry. Yields, if `handoff`. Go: semrelease1.
void sem_release(sema_word& word, bool handoff);

// A goroutine or thread has waited for a lock for so long. Caller: inside a runtime_entry.
void count_lock_wait(std::int64_t ns);

// Calls visit for everybody who waits here, root by root, under the root's lock; who comes or goes
// meanwhile may be missed, or met twice. Takes: each root's lock.
void sem_for_each_waiter(void (*visit)(void* arg, const sudog&), void* arg);

// Calls visit(arg, gp, address) for each goroutine that waits for a count, but for those in roots
// that somebody holds. Nobody may run meanwhile. And where the table lies: it names waiters, and
// gives nobody the means to wake them who does not know the address.
void visit_semaphores(void (*visit)(void* arg, const g& gp, const void* address), void* arg);
struct sema_table_extent {
    const void* lo;
    const void* hi;
};
sema_table_extent sema_table();

// The lock of the root to which the address belongs. Takes: nothing below it.
// Ends the process with a report if somebody sleeps at the word, a part of the object `what`, which
// goes. Caller: outside the runtime.
void sem_report_waiters(const char* what, const void* word);

lock& sem_lock(const void* address);

}  // namespace rota::rt
