// Sleeping in an object's own list of waiters, first come, first served. Condition variables,
// semaphores and barriers sleep in such a list.
//
// One lock guards an object's list: the lock of the semaphore table's root to which the address
// belongs. A waiter enters the list, and is taken out, under that lock. It sleeps with the lock
// held until its registers are saved (sched/base/park.hpp). So of the possible wakers exactly one
// finds it in the list. The waker that takes it out readies it; if it does not sleep yet, its
// removal tells it not to. A wait with a time limit is decided by one exchange, between the timer
// and the waker. A waiter that has timed out takes itself out when it runs again.
//
// After the lock has been released the waker touches only the sleepers that it has taken out: they
// lie in their frames until they are readied. The object may be gone by then.
#pragma once

#include <cstdint>
#include <limits>

#include <rota/detail/wait_list.hpp>

#include "base/annotations.hpp"
#include "base/atomic.hpp"
#include "core/status.hpp"
#include "sched/queue/timers.hpp"
#include "sync/wait/sema.hpp"
#include "sync/wait/wait_place.hpp"
#include "sys/thread/lock.hpp"

namespace rota::rt {
struct g;
}

namespace rota::detail {

// Guarded by the object's lock; owned by the waiter once it has been taken out.
struct waiter {
    rt::g* gp = nullptr;
    waiter* next = nullptr;
    waiter* prev = nullptr;
    wait_list* list = nullptr;  // where it waits; null: it has been taken out
    bool asleep = false;        // the waker that takes it out readies it
    bool outside = false;       // it waits for the outside of its bubble: waits_outside_in

    // The outcome of a wait with a time limit: the timer and the waker race for it.
    static constexpr std::uint32_t open = 0, served = 1, timed_out = 2;
    rt::timer* limit = nullptr;
    rt::atomic<std::uint32_t> decided{open};
};

}  // namespace rota::detail

namespace rota::rt {

using detail::wait_list;
using detail::waiter;

// Puts the calling g, by way of `w`, at the list's end.
void enter_list(wait_list& list, waiter& w);

// Takes w out, if it stands there still.
void leave_list(wait_list& list, waiter& w);

inline constexpr std::int64_t for_ever = std::numeric_limits<std::int64_t>::max();

// Takes out the first waiter that has not timed out, and the waiters before it. Null: there is
// none.
[[nodiscard]] waiter* take_first(wait_list& list);

// Takes out every waiter; those not timed out are linked by `next`.
[[nodiscard]] waiter* take_all(wait_list& list);

// Returns the sleepers of a chain that has been taken out; the awake waiters learn it from their
// removal. Caller: still holds the lock.
[[nodiscard]] waiter* asleep_of(waiter* chain);

// Ends the process with a report if a waiter is in the list of the object `what`, which is being
// destroyed. Caller: outside the runtime.
void report_list_waiters(const char* what, const wait_list& list, const void* object);

// Readies a chain of sleepers, in order. Caller: inside a runtime_entry, without the lock.
void ready_chain(waiter* first);

// What a sleeper without a time limit passes to its commit function.
struct list_sleep {
    wait_place place = wait_place::list;
    lock* l;
    const waiter* w;
};

// Sleeps until `w` has been taken out of its list; returns at once if it has been. Caller: inside a
// runtime_entry; `l`, the object's lock, is released. Parks.
void sleep_in_list(waiter& w, lock& l, wait_reason why) ROTA_RELEASE(l);

// As above, until `deadline` (nanotime) at the latest. False: the time was up first, and no other
// thread touches w any more.
[[nodiscard]] bool sleep_in_list_until(waiter& w, lock& l, std::int64_t deadline, wait_reason why)
    ROTA_RELEASE(l);

}  // namespace rota::rt
