// Sleeping in an object's own list of waiters, first come, first served. What condition variables,
// semaphores and barriers sleep in.
//
// One lock guards an object's list: that of the semaphore table's root to which the address
// belongs. A waiter enters the list, and is taken out of it, under that lock, and sleeps with it
// held until its registers are saved (sched/park.hpp). So of all who might wake it exactly one
// finds it in the list; whoever takes it out wakes it, or tells it so if it does not sleep yet.
// After the lock has been released the waker touches only those that it has taken out and that
// sleep: they lie in their frames until they are readied. The object may be gone by then.
#pragma once

#include <rota/detail/wait_list.hpp>

#include "base/annotations.hpp"
#include "core/status.hpp"
#include "sync/sema.hpp"
#include "sys/lock.hpp"

namespace rota::rt {
struct g;
}

namespace rota::detail {

// Guarded by the object's lock, all of it; the waiter's own once it has been taken out.
struct waiter {
    rt::g* gp = nullptr;
    waiter* next = nullptr;
    waiter* prev = nullptr;
    wait_list* list = nullptr;  // where it waits; null: it has been taken out
    bool asleep = false;        // who takes it out readies it
};

}  // namespace rota::detail

namespace rota::rt {

using detail::wait_list;
using detail::waiter;

// Puts the calling g, by way of `w`, at the list's end.
void enter_list(wait_list& list, waiter& w);

// Takes out the first waiter, or null.
[[nodiscard]] waiter* take_first(wait_list& list);

// Takes out all; they are linked by `next`.
[[nodiscard]] waiter* take_all(wait_list& list);

// Of a chain that has been taken out, those that sleep; the others are told by having been taken
// out. Caller: still holds the lock.
[[nodiscard]] waiter* asleep_of(waiter* chain);

// Readies a chain of sleepers, in order. Caller: inside a runtime_entry, without the lock.
void ready_chain(waiter* first);

// Sleeps until `w` has been taken out of its list; returns at once if it has been. Caller: inside a
// runtime_entry; `l`, the object's lock, is released. Parks.
void sleep_in_list(waiter& w, lock& l, wait_reason why) ROTA_RELEASE(l);

}  // namespace rota::rt
