// Lists of waiters inside an object, and the sleep of a waiter, with or without a deadline.
#include "sync/wait/wait_list.hpp"

#include "base/check.hpp"
#include "core/getg.hpp"
#include "sched/base/park.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/base/wakeup.hpp"
#include "sched/goroutine/destroyed.hpp"

namespace rota::rt {

void enter_list(wait_list& list, waiter& w) {
    w.gp = getm().curg;
    w.list = &list;
    w.prev = list.last;
    w.next = nullptr;
    if (list.last != nullptr) list.last->next = &w;
    else list.first = &w;
    list.last = &w;
}

void leave_list(wait_list& list, waiter& w) {
    if (w.list == nullptr) return;
    if (w.prev != nullptr) w.prev->next = w.next;
    else list.first = w.next;
    if (w.next != nullptr) w.next->prev = w.prev;
    else list.last = w.prev;
    w.prev = w.next = nullptr;
    w.list = nullptr;
}

namespace {

// relaxed: the lock orders what the waker has done before what a served waiter does.
bool serve(waiter& w) {
    return w.limit == nullptr || w.decided.cas(waiter::open, waiter::served, memory_order_relaxed);
}

}  // namespace

waiter* take_first(wait_list& list) {
    while (waiter* const w = list.first) {
        leave_list(list, *w);
        if (serve(*w)) return w;
    }
    return nullptr;
}

waiter* take_all(wait_list& list) {
    waiter* first = nullptr;
    waiter** end = &first;
    while (waiter* const w = take_first(list)) {
        *end = w;
        end = &w->next;
    }
    return first;
}

waiter* asleep_of(waiter* chain) {
    waiter* first = nullptr;
    waiter** end = &first;
    while (chain != nullptr) {
        waiter* const next = chain->next;
        if (chain->asleep) {
            *end = chain;
            end = &chain->next;
        }
        chain = next;
    }
    *end = nullptr;
    return first;
}

void report_list_waiters(const char* what, const wait_list& list, const void* object) {
    if (is_nobody_going_on()) return;
    // The waiter's frame stays while it waits. A waiter that leaves now was woken by another
    // misuse.
    for (const waiter* w = nullptr;;) {
        {
            const runtime_entry inside;
            const lock_guard guard(sem_lock(object));
            w = w == nullptr ? list.first : w->next;
        }
        if (w == nullptr) return;
        report_destroyed(what, w->gp);
    }
}

void ready_chain(waiter* first) {
    while (first != nullptr) {
        waiter* const next = first->next;  // its frame may be gone once it is readied
        goready(*first->gp);
        first = next;
    }
}

namespace {

bool unlock_list(g&, void* arg) ROTA_NO_TSA {  // taken by the g that parked, as commit_unlock
    static_cast<const list_sleep*>(arg)->l->release();
    return true;
}

}  // namespace

void sleep_in_list(waiter& w, lock& l,
                   wait_reason why) ROTA_NO_TSA {  // unlock_list releases it
    if (w.list == nullptr) {
        l.release();
        return;
    }
    w.asleep = true;
    if (ROTA_UNLIKELY(w.outside)) w.gp->waits_outside = true;
    list_sleep s{wait_place::list, &l, &w};
    gopark(unlock_list, &s, why);
}

namespace {

struct limited_sleep {
    wait_place place = wait_place::limited;
    timer* limit;
    lock* l;
    std::int64_t deadline;
};

// Runs once the sleeper's registers are saved. Until the lock is free the sleeper stays in its
// frame, even if its time is up at once.
bool arm_and_unlock(g&, void* arg) ROTA_NO_TSA {  // taken by the g that parked, as commit_unlock
    const limited_sleep s = *static_cast<limited_sleep*>(arg);  // gone behind the release
    const bool owed = start_timer_quietly(*s.limit, s.deadline);
    s.l->release();
    if (owed) wake_poller(s.deadline);
    return true;
}

void* time_is_up(timer& t) {
    auto& w = *static_cast<waiter*>(t.arg);
    // relaxed: time hands over nothing
    return w.decided.cas(waiter::open, waiter::timed_out, memory_order_relaxed) ? w.gp : nullptr;
}

}  // namespace

bool sleep_in_list_until(waiter& w, lock& l, std::int64_t deadline,
                         wait_reason why) ROTA_NO_TSA {  // arm_and_unlock releases it
    if (w.list == nullptr || deadline == for_ever) {
        sleep_in_list(w, l, why);
        return true;
    }
    timer limit;
    limit.arg = &w;
    limit.run = wake_g;
    limit.claim = time_is_up;
    w.limit = &limit;
    w.asleep = true;
    if (ROTA_UNLIKELY(w.outside)) w.gp->waits_outside = true;
    limited_sleep s{wait_place::limited, &limit, &l, deadline};
    gopark(arm_and_unlock, &s, why);
    (void)stop_timer(limit);
    // relaxed: the thread that decided has readied this waiter
    if (w.decided.load(memory_order_relaxed) == waiter::served) return true;
    // A thread that takes waiters out may be reading this frame; and if the timer was late, that
    // thread still holds the lock.
    const lock_guard guard(l);
    if (w.list != nullptr) leave_list(*w.list, w);
    return false;
}

}  // namespace rota::rt
