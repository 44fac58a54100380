// The list and the sleep.
#include "sync/wait_list.hpp"

#include "base/check.hpp"
#include "core/getg.hpp"
#include "sched/park.hpp"

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

waiter* take_first(wait_list& list) {
    waiter* const w = list.first;
    if (w == nullptr) return nullptr;
    list.first = w->next;
    if (list.first != nullptr) list.first->prev = nullptr;
    else list.last = nullptr;
    w->next = nullptr;
    w->list = nullptr;
    return w;
}

waiter* take_all(wait_list& list) {
    waiter* const first = list.first;
    list.first = list.last = nullptr;
    for (waiter* w = first; w != nullptr; w = w->next) w->list = nullptr;
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

void ready_chain(waiter* first) {
    while (first != nullptr) {
        waiter* const next = first->next;  // its frame may be gone once it is readied
        goready(*first->gp);
        first = next;
    }
}

void sleep_in_list(waiter& w, lock& l, wait_reason why) {
    if (w.list == nullptr) {
        l.release();
        return;
    }
    w.asleep = true;
    gopark_unlock(l, why);
}

}  // namespace rota::rt
