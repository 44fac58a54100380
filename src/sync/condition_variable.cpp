// Waits for a notification of a condition variable. Go: sync/cond.go, runtime/sema.go (notifyList).
//
// A waiter enters the list before it unlocks the mutex, and sleeps later. If it has been taken out
// in between, it does not sleep. Go hands out tickets by an atomic counter and matches them with
// the sleepers; a list with its lock gives the order without a search.
#include <rota/sync/condition_variable.hpp>

#include <rota/panic.hpp>

#include "sched/base/bubble.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sync/wait/wait_list.hpp"

namespace rota {

using namespace rota::rt;

void condition_variable::note_occupied() {
    // relaxed: see anybody_waits
    occupied_.store(waiting_.first != nullptr, memory_order_relaxed);
}

ROTA_COLD void condition_variable::report_waiters() const {
    report_list_waiters("condition_variable", waiting_, this);
}

bool condition_variable::wait_for_notice(bool locked, mutex* mu, std::int64_t deadline) {
    if (!locked) throw panic_error("rota: wait on a condition variable without its lock");
    lock& l = sem_lock(this);
    waiter me;
    {
        const runtime_entry inside;
        me.outside = waits_outside_in(this);
        const lock_guard guard(l);
        enter_list(waiting_, me);
        note_occupied();
    }
    mu->unlock();
    bool notified = false;
    {
        const runtime_entry inside;
        l.acquire();
        notified = sleep_in_list_until(me, l, deadline, wait_reason::cond_wait);
    }
    mu->lock();
    return notified;
}

void condition_variable::wake(bool all) noexcept {
    const runtime_entry inside;
    waiter* first = nullptr;
    {
        const lock_guard guard(sem_lock(this));
        first = all ? take_all(waiting_) : take_first(waiting_);
        note_occupied();
        first = asleep_of(first);
    }
    ready_chain(first);
}

}  // namespace rota
