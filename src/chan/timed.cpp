// Sending and receiving with a time limit.
//
// Such a waiter has two wakers: the peer on the channel, and the timer. One claim decides between
// them (chan/waitq.hpp). The timer is started when the registers are saved, before the channel's
// lock is released. From then on it may fire. The waiter that it wakes takes that lock to remove
// its sudog, so it returns only when no thread uses its frame any more. The poller is told of the
// timer when the lock is free, since telling it may start a thread.
#include <limits>

#include "chan/transfer.hpp"
#include "sched/base/bubble.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/base/wakeup.hpp"
#include "sched/queue/timers.hpp"

namespace rota::detail {

using namespace rota::rt;

namespace {

constexpr std::uint32_t served = 0, timed_out = 1;
constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

struct limited_wait {
    hchan* c;  // null: the nil channel, whose waits only the timer ends
    timer limit;
    chan_sudog me;
    atomic<std::uint32_t> claim{claim_open};
};

// Under the heap's lock.
void* claim_for_timer(timer& t) {
    chan_sudog& me = *static_cast<chan_sudog*>(t.arg);
    return me.claim->cas(claim_open, timed_out, memory_order_relaxed)  // relaxed: see take_claim
               ? me.gp
               : nullptr;
}

bool commit_limited(g&, void* arg) ROTA_NO_TSA {  // taken by the g that parked
    auto& w = *static_cast<limited_wait*>(arg);
    hchan* const c = w.c;
    const std::int64_t when = w.limit.when;
    const bool earlier = start_timer_quietly(w.limit, when);
    // From here on no thread touches the frame: a wait on the nil channel may be over already, any
    // other wait when a peer has had the lock.
    if (c != nullptr) c->mu.release();
    if (earlier) wake_poller(when);
    return true;
}

std::int64_t moment_after(std::int64_t ns) {
    std::int64_t when = 0;
    return __builtin_add_overflow(current_now(), ns, &when) ? no_limit : when;
}

// Waits in a queue of c for `ns` at most. Releases c->mu, which is held unless c is null.
ROTA_NOINLINE chan_result wait_limited(hchan* c, waitq* q, void* elem, std::int64_t ns,
                                       wait_reason why) ROTA_NO_TSA {  // c may be null
    limited_wait w;
    w.c = c;
    w.me.gp = getm().curg;
    w.me.elem = elem;
    w.me.number = served;
    w.me.claim = &w.claim;
    w.limit.arg = &w.me;
    w.limit.run = wake_g;
    w.limit.claim = claim_for_timer;
    w.limit.when = moment_after(ns);
    if (c != nullptr) {
        q->enqueue(w.me);
        c->update_fast_ways();
        if (ROTA_UNLIKELY(w.me.gp->is_in_bubble))
            w.me.gp->waits_outside = is_made_outside(*w.me.gp, c->made_in);
    }
    gopark(commit_limited, &w, why);
    if (w.claim.load(memory_order_relaxed) == served) {  // relaxed: goready passed it on
        (void)stop_timer(w.limit);
        return w.me.success ? chan_result::ok : chan_result::closed;
    }
    if (c != nullptr) {
        const chan_guard guard(*c);
        if (q->remove(w.me)) c->update_fast_ways();
    }
    return chan_result::would_block;
}

}  // namespace

chan_result chan_send_for(hchan* c, const void* elem, std::int64_t ns) ROTA_NO_TSA {  // as above
    if (ns <= 0) return chan_try_send(c, elem);
    if (ns == no_limit) return chan_send(c, elem, true);
    const runtime_entry inside;
    if (c == nullptr) return wait_limited(c, nullptr, nullptr, ns, wait_reason::chan_send_nil);
    lock_chan(*c);
    chan_sudog* receiver = nullptr;
    const chan_result r = attempt_send(*c, elem, receiver, own_bias());
    if (r == chan_result::would_block)
        return wait_limited(c, &c->sendq, const_cast<void*>(elem), ns, wait_reason::chan_send);
    c->mu.release();
    if (receiver != nullptr) wake(*receiver, true);
    return r;
}

chan_result chan_recv_for(hchan* c, void* elem, std::int64_t ns) ROTA_NO_TSA {  // as above
    if (ns <= 0) return chan_try_recv(c, elem);
    if (ns == no_limit) return chan_recv(c, elem, true);
    const runtime_entry inside;
    if (c == nullptr) return wait_limited(c, nullptr, nullptr, ns, wait_reason::chan_receive_nil);
    lock_chan(*c);
    chan_sudog* sender = nullptr;
    const chan_result r = attempt_recv(*c, elem, sender, own_bias());
    if (r == chan_result::would_block)
        return wait_limited(c, &c->recvq, elem, ns, wait_reason::chan_receive);
    c->mu.release();
    if (sender != nullptr) wake(*sender, true);
    return r;
}

}  // namespace rota::detail
