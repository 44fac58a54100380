// Who is in a bubble, and whether anybody in it can still do something by himself.
#include "sched/bubble.hpp"

#include <utility>

#include "core/getg.hpp"
#include "sched/park.hpp"
#include "sys/clock.hpp"

namespace rota::rt {

namespace {

// One less can act. Returns the keeper if it was the last one and somebody waits for that.
[[nodiscard]] g* one_less(bubble& b) ROTA_REQUIRES(b.mu) {
    ROTA_CHECK(b.active > 0);
    if (--b.active != 0) return nullptr;
    g* const keeper = b.keeper;
    b.keeper = nullptr;
    return keeper;
}

}  // namespace

void bubble_enter(bubble& b, g& gp) {
    set_bubble(gp, &b);
    const lock_guard guard(b.mu);
    ++b.total;
    ++b.active;
}

void bubble_leave(g& gp) {
    bubble& b = *gp.in;
    set_bubble(gp, nullptr);
    g* keeper = nullptr;
    {
        const lock_guard guard(b.mu);
        --b.total;
        keeper = one_less(b);
    }
    if (keeper != nullptr) goready(*keeper);  // from here on the bubble may be gone
}

void bubble_blocked(bubble& b) {
    g* keeper = nullptr;
    {
        const lock_guard guard(b.mu);
        keeper = one_less(b);
    }
    if (keeper != nullptr) goready(*keeper);
}

void bubble_readied(bubble& b) {
    const lock_guard guard(b.mu);
    ++b.active;
}

void bubble_await_quiet(bubble& b) ROTA_NO_TSA {  // the park releases the lock
    for (;;) {
        b.mu.acquire();
        if (b.active == 0) break;
        b.keeper = getm().curg;
        gopark(commit_unlock, &b.mu, wait_reason::synctest_run);
    }
    b.mu.release();
}

outside_bubble::outside_bubble() : me_(nullptr), was_in_(nullptr) {
    const m* const self = getm_or_null();
    if (self == nullptr || self->curg->in == nullptr) return;
    me_ = self->curg;
    was_in_ = me_->in;
    set_bubble(*me_, nullptr);
}

outside_bubble::~outside_bubble() {
    if (me_ != nullptr) set_bubble(*me_, was_in_);
}

void bubble_waits_outside(bool on) {
    const m* const self = getm_or_null();
    if (self != nullptr && self->curg->in != nullptr) self->curg->waits_outside = on;
}

std::int64_t bubble_now(const g& gp) {
    return gp.in == nullptr ? nanotime()
                            : gp.in->now.load(memory_order_relaxed);  // relaxed: see bubble
}

std::int64_t current_now() {
    const m* const self = getm_or_null();
    return self == nullptr ? nanotime() : bubble_now(*self->curg);
}

}  // namespace rota::rt
