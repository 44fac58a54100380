// Sleeps until a moment or the end of a context, whichever comes first.
//
// The sleeper stands in the context's list and in a timer heap; the first to act claims it. The
// heap's claim runs under the heap's lock, so the sleeper's frame is free once stop_timer() has
// returned.
#include <rota/context.hpp>

#include "context/cancel_node.hpp"
#include "context/waiter.hpp"
#include "sched/base/bubble.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/queue/timers.hpp"

namespace rota::detail {

using namespace rota::rt;

namespace {

struct sleeper : context_waiter {
    sleeper() {
        t.arg = this;
        t.claim = [](rt::timer& due) -> void* {
            auto* const s = static_cast<sleeper*>(due.arg);
            return s->context_waiter::claim(outcome::granted) ? s : nullptr;
        };
        t.run = [](void* arg) { open_for_good(static_cast<sleeper*>(arg)->word); };
    }

    rt::timer t;
};

}  // namespace

std::error_code context_sleep_until(context_node* n, std::int64_t when) {
    if (const std::error_code ended = context_err(n)) return ended;
    if (when <= current_now()) return {};
    if (n == nullptr || n->canceler == nullptr) {
        sleep_until_ns(when);
        return {};
    }
    sleeper s;
    {
        const runtime_entry inside;
        (void)start_timer(s.t, when);
    }
    if (!enlist(n, s)) s.cancel();
    if (s.wait(wait_reason::sleep, is_ended_outside(n)) == context_waiter::outcome::granted) {
        unlist(n, s);
        return {};
    }
    {
        const runtime_entry inside;
        (void)stop_timer(s.t);
    }
    return context_err(n);
}

}  // namespace rota::detail
