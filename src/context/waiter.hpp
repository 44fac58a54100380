// Waits for an event or the end of a context: one waiter, in its own frame.
//
//     context_waiter w;
//     put w where the awaited will find it
//     if (!enlist(ctx.node(), w)) w.cancel();
//     w.wait(why);
//     unlist(ctx.node(), w) unless it was cancelled; take it out of the other place if it was
//
// The claimer wakes the waiter; a later thread leaves it alone. Both sides touch a waiter only
// while it is in their list, under that list's lock, or after they have claimed it. So its frame
// may go as soon as it is out of both.
#pragma once

#include <rota/detail/context_engine.hpp>

#include "base/atomic.hpp"
#include "core/status.hpp"
#include "sync/wait/waiters.hpp"

namespace rota::rt {

struct context_waiter : detail::context_hook {
    enum class outcome : std::uint8_t { pending, granted, cancelled };

    context_waiter() noexcept : context_hook(kind::waiter) {}

    // True if no other thread has decided before.
    bool claim(outcome how) {
        return claimed.cas(outcome::pending, how,
                           memory_order_relaxed);  // relaxed: `word` passes on
    }
    // Wakes a waiter that the caller has claimed; it may be gone afterwards.
    void wake();
    // The context has ended.
    void cancel() {
        if (claim(outcome::cancelled)) wake();
    }
    // Sleeps until it is woken; returns the value with which the waker claimed it. `outside`: as in
    // wait_for_opening. Parks.
    outcome wait(wait_reason why, bool outside);

    // --- anyone writes ----------------------------------------------------------------
    atomic<outcome> claimed{outcome::pending};
    waiters_word word{0};
};

// Whether the calling goroutine is in a bubble, and n may be cancelled from outside of it.
bool is_ended_outside(const detail::context_node* n);

// Puts w into the list of the node that cancels n, if there is one. False: that node has ended.
bool enlist(detail::context_node* n, context_waiter& w);
// Takes w out again, if it is still there. Afterwards no thread uses w on behalf of the node.
void unlist(detail::context_node* n, context_waiter& w);

}  // namespace rota::rt
