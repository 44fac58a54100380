// Makes contexts that end at a deadline.
//
// The timer lies in the node and has a reference of its own while it is started. When it comes due,
// it hands that reference to a goroutine, which cancels the node: a timer runs in the scheduler,
// which must not park.
#include <rota/context.hpp>

#include "context/cancel_node.hpp"
#include "sched/base/bubble.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/goroutine/newproc.hpp"
#include "sched/queue/timers.hpp"

namespace rota::rt {

namespace {

struct deadline_node : cancel_node {
    deadline_node(context_node* its_parent, std::int64_t when, std::error_code cause) noexcept
        : cancel_node(its_parent,
                      [](context_node* n) noexcept { delete static_cast<deadline_node*>(n); }),
          late(cause) {
        deadline = when;
        bounded = true;
        timed = true;
    }

    // --- fixed ---------------------------------------------------------------------
    const std::error_code late;  // the cause, if the deadline ends it

    // --- guarded by mu ---------------------------------------------------------------
    bool armed ROTA_GUARDED_BY(mu) = false;  // t has been started

    rt::timer t;
};

// The goroutine's function: cancels the node, and takes over the timer's reference.
void expire(void* arg) {
    auto& d = *static_cast<deadline_node*>(arg);
    const context held = context::adopt(&d);
    cancel(d, context_end::deadline_exceeded, d.late);
}

// Called in the scheduler when the deadline has come.
void come_due(void* arg) {
    if (ROTA_UNLIKELY(is_too_late())) {
        // false: only arm() starts it, once
        (void)postpone_for_good(static_cast<deadline_node*>(arg)->t);
        return;
    }
    spawn_from_scheduler(expire, arg, reinterpret_cast<const void*>(&expire));
}

// Starts the timer unless the node has ended meanwhile. The canceller marks the node under the same
// lock, and then looks for a started timer.
void arm(deadline_node& d) {
    const tree_guard guard(d.mu);
    if (d.end() != context_end::live) return;
    d.armed = true;
    d.refs.fetch_add(2, memory_order_relaxed);  // relaxed: the caller has a reference
    d.t.arg = &d;
    d.t.run = come_due;
    const runtime_entry inside;
    (void)start_timer(d.t, d.deadline);
}

}  // namespace

void forget_deadline(cancel_node& c) {
    auto& d = static_cast<deadline_node&>(c);
    bool stopped = false;
    {
        const tree_guard guard(d.mu);
        if (!d.armed) return;
        const runtime_entry inside;
        stopped = stop_timer(d.t);
    }
    if (stopped) d.refs.fetch_sub(2, memory_order_release);  // pairs(context.refs)
}

}  // namespace rota::rt

namespace rota::detail {

using namespace rota::rt;

context_node* context_make_until(context_node* parent, std::int64_t when, std::error_code cause) {
    if (parent != nullptr && parent->bounded && parent->deadline <= when)
        return context_make(parent);
    auto* const d = new deadline_node(parent, when, cause);
    d->refs.fetch_add(2, memory_order_relaxed);  // relaxed: no other thread knows it
    enter_list(*d);
    if (when <= current_now()) cancel(*d, context_end::deadline_exceeded, cause);
    else arm(*d);
    return d;
}

}  // namespace rota::detail
