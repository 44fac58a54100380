// Waiting for a notification. Go: sync/cond.go, runtime/sema.go (notifyList).
//
// A waiter enters the list before it unlocks the mutex, and sleeps later: in between it may have
// been taken out already, and does not sleep then. Go hands out tickets by an atomic counter and
// matches them with the sleepers; a list with its lock gives the order without a search.
#include <rota/sync/condition_variable.hpp>

#include <rota/panic.hpp>

#include "sched/entry.hpp"
#include "sync/wait_list.hpp"

namespace rota {

using namespace rota::rt;

void condition_variable::wait_for_notice(bool locked, mutex* mu) {
    if (!locked) throw panic_error("rota: wait on a condition variable without its lock");
    lock& l = sem_lock(this);
    waiter me;
    {
        const runtime_entry inside;
        const lock_guard guard(l);
        enter_list(waiting_, me);
        // relaxed: see anybody_waits
        count_.store(count_.load(memory_order_relaxed) + 1, memory_order_relaxed);
    }
    mu->unlock();
    {
        const runtime_entry inside;
        l.acquire();
        sleep_in_list(me, l, wait_reason::cond_wait);
    }
    mu->lock();
}

void condition_variable::notify_first() noexcept {
    const runtime_entry inside;
    waiter* w = nullptr;
    {
        const lock_guard guard(sem_lock(this));
        w = take_first(waiting_);
        if (w != nullptr)  // relaxed: see anybody_waits
            count_.store(count_.load(memory_order_relaxed) - 1, memory_order_relaxed);
        w = asleep_of(w);
    }
    ready_chain(w);
}

void condition_variable::notify_every() noexcept {
    const runtime_entry inside;
    waiter* first = nullptr;
    {
        const lock_guard guard(sem_lock(this));
        count_.store(0, memory_order_relaxed);  // relaxed: see anybody_waits
        first = asleep_of(take_all(waiting_));
    }
    ready_chain(first);
}

}  // namespace rota
