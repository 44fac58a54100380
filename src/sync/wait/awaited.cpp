// Reads, from the frames of parked goroutines, the objects of this room that they wait for.
#include "sync/wait/awaited.hpp"

#include "sync/wait/wait_list.hpp"

namespace rota::rt {

namespace {

// The record in gp's own frame, if gp waits for an object of this room.
const wait_place* place_of_wait(const g& gp) {
    switch (gp.why) {
        case wait_reason::semacquire:
        case wait_reason::cond_wait:
        case wait_reason::future_get:
        case wait_reason::wait_group_wait: break;
        default: return nullptr;
    }
    const auto* const p = static_cast<const std::byte*>(gp.park_arg);
    if (p < gp.stack.lo || p >= gp.stack.hi) return nullptr;
    return static_cast<const wait_place*>(gp.park_arg);
}

}  // namespace

bool waits_in_sema_table(const g& gp) {
    return gp.why == wait_reason::mutex_lock || gp.why == wait_reason::rwmutex_lock ||
           gp.why == wait_reason::rwmutex_rlock;
}

const void* list_awaited_by(const g& gp) {
    const wait_place* const place = place_of_wait(gp);
    if (place == nullptr || *place != wait_place::list) return nullptr;
    const auto& sleep = *static_cast<const list_sleep*>(gp.park_arg);
    if (sleep.l->is_held() || sleep.w->gp != &gp) return nullptr;
    return sleep.w->list;
}

const waiters_word* word_awaited_by(const g& gp) {
    const wait_place* const place = place_of_wait(gp);
    if (place == nullptr || *place != wait_place::word) return nullptr;
    return static_cast<const word_sleep*>(gp.park_arg)->word;
}

}  // namespace rota::rt
