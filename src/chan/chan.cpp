// Makes a channel, sends to it, receives from it, closes it, and destroys it with its last handle.
// Go: chansend, chanrecv, closechan.
#include <new>

#include <rota/panic.hpp>

#include "chan/transfer.hpp"
#include "sched/base/blocks.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/goroutine/destroyed.hpp"
#include "sched/queue/park_here.hpp"

namespace rota::detail {

using namespace rota::rt;

namespace {

constexpr std::size_t bytes_max = std::size_t{1} << 46;

// Wakes each waiter of the chain. A waiter sleeps until it is readied here, so its sudog stays in
// place until then.
void wake_all(chan_sudog* s) {
    while (s != nullptr) {
        chan_sudog* const next = s->next;
        if (next != nullptr) __builtin_prefetch(next->gp);
        wake(*s, false);
        s = next;
    }
}

ROTA_COLD chan_result yield_and_leave(chan_result r) {
    preempt_yield();
    return r;
}

// Leaves the runtime on the same m.
ROTA_ALWAYS_INLINE chan_result leave_by(m& self, chan_result r) {
    return ROTA_UNLIKELY(!try_leave_runtime(self)) ? yield_and_leave(r) : r;
}

// Waits in a queue of c, releases c.mu, and leaves the runtime. Each caller of the two functions
// below calls them last, by a jump, so that the only ret behind the switch is theirs.
ROTA_ALWAYS_INLINE chan_result wait_and_leave(m& self, hchan& c, waitq& q, void* elem,
                                              wait_reason why) ROTA_RELEASE(c.mu) {
    chan_sudog me;
    g& gp = *self.curg;
    me.gp = &gp;
    me.elem = elem;
    me.claim = nullptr;
    q.enqueue(me);
    c.note_wait(self.bias, &q == &c.sendq);
    c.update_fast_ways();
    if (ROTA_UNLIKELY(gp.is_in_bubble)) gp.waits_outside = is_made_outside(gp, c.made_in);
    park_unlock_here(c.mu, why);
    return leave_by(getm(), me.success ? chan_result::ok : chan_result::closed);
}

ROTA_NOINLINE chan_result wait_to_send(m& self, hchan& c, void* elem) ROTA_RELEASE(c.mu) {
    return wait_and_leave(self, c, c.sendq, elem, wait_reason::chan_send);
}

ROTA_NOINLINE chan_result wait_to_recv(m& self, hchan& c, void* elem) ROTA_RELEASE(c.mu) {
    return wait_and_leave(self, c, c.recvq, elem, wait_reason::chan_receive);
}

}  // namespace

hchan* chan_make(std::size_t elem_size, std::size_t capacity,
                 chan_drop drop) ROTA_NO_TSA {  // no other thread knows it
    note_use();
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(elem_size, capacity, &bytes) || bytes > bytes_max ||
        capacity > bytes_max) {
        throw panic_error("makechan: size out of range");
    }
    static_assert(alignof(hchan) <= cache_line);
    auto* const c = new (block_new(sizeof(hchan) + bytes)) hchan;
    c->buf = reinterpret_cast<std::byte*>(c + 1);
    c->elem_size = elem_size;
    c->capacity = capacity;
    c->drop = drop;
    c->made_in = current_bubble();
    c->update_fast_ways();
    return c;
}

bool chan_report_waiters(const hchan& c, const char* what) ROTA_NO_TSA {  // the last handle
    const auto report = [what](const chan_sudog& s) {
        report_destroyed(what, s.gp, held_by::value);
    };
    if (ROTA_LIKELY(!c.recvq.has_any() && !c.sendq.has_any())) return false;
    c.recvq.for_each(report);
    c.sendq.for_each(report);
    return true;
}

void chan_retain(hchan* c) noexcept {
    c->refs.fetch_add(1, memory_order_relaxed);
}  // relaxed: the caller has a reference

void chan_release(hchan* c) noexcept ROTA_NO_TSA {  // the last handle: no other thread uses it
    if (c->refs.fetch_sub(1, memory_order_acq_rel) != 1) return;  // pairs(chan.refs)
    if (c->destroy != nullptr) return c->destroy(c);
    // Each waiter uses another goroutine's handle by reference. If that can do no harm, the channel
    // stays: its waiters are never woken.
    if (chan_report_waiters(*c, "channel")) return;
    const std::size_t count = c->count.load(memory_order_relaxed);  // relaxed: the only user
    for (std::size_t i = 0; i < count && c->drop != nullptr; ++i) {
        c->drop(c->buf + (c->recv_at + i) % c->capacity * c->elem_size);
    }
    const std::size_t bytes = sizeof(hchan) + c->elem_size * c->capacity;
    c->~hchan();
    block_delete(c, bytes);
}

namespace {

// The part of a send or receive that the fast ways below leave out: each wait and each wake-up.
ROTA_NOINLINE chan_result finish_send(m& self, hchan& c, const void* elem, bool block)
    ROTA_RELEASE(c.mu) {
    chan_sudog* receiver = nullptr;
    const chan_result r = attempt_send(c, elem, receiver, self.bias);
    if (r == chan_result::would_block && block)
        return wait_to_send(self, c, const_cast<void*>(elem));
    c.mu.release();
    if (receiver != nullptr) wake(*receiver, true);
    return leave_by(self, r);
}

ROTA_NOINLINE chan_result finish_recv(m& self, hchan& c, void* elem, bool block)
    ROTA_RELEASE(c.mu) {
    chan_sudog* sender = nullptr;
    const chan_result r = attempt_recv(c, elem, sender, self.bias);
    if (r == chan_result::would_block && block) return wait_to_recv(self, c, elem);
    c.mu.release();
    if (sender != nullptr) wake(*sender, true);
    return leave_by(self, r);
}

// The same, where the lock is not free at once.
ROTA_NOINLINE chan_result lock_and_send(m& self, hchan& c, const void* elem, bool block) {
    c.mu.acquire_by(self.bias);
    return finish_send(self, c, elem, block);
}

ROTA_NOINLINE chan_result lock_and_recv(m& self, hchan& c, void* elem, bool block) {
    c.mu.acquire_by(self.bias);
    return finish_recv(self, c, elem, block);
}

// Nil channels, the first use by a thread, and a goroutine that has lost its p.
ROTA_NOINLINE chan_result send_slow(hchan* cp, const void* elem, bool block) {
    m& self = enter_runtime();
    if (cp != nullptr) return lock_and_send(self, *cp, elem, block);
    if (block) block_for_ever(wait_reason::chan_send_nil);
    return leave_by(self, chan_result::would_block);
}

ROTA_NOINLINE chan_result recv_slow(hchan* cp, void* elem, bool block) {
    m& self = enter_runtime();
    if (cp != nullptr) return lock_and_recv(self, *cp, elem, block);
    if (block) block_for_ever(wait_reason::chan_receive_nil);
    return leave_by(self, chan_result::would_block);
}

ROTA_NOINLINE chan_result release_and_leave(m& self,
                                            hchan& c) ROTA_NO_TSA {  // c.mu is still held
    c.mu.release_slow();
    return leave_by(self, chan_result::ok);
}

}  // namespace

// The two fast ways move a word into a buffer with room, or out of a buffer that is not empty,
// without a stack frame. For every other case they end in a tail call.
chan_result chan_send(hchan* cp, const void* elem, bool block) ROTA_NO_TSA {
    m* mp = nullptr;
    if (ROTA_UNLIKELY(cp == nullptr || (mp = try_enter_runtime()) == nullptr))
        return send_slow(cp, elem, block);
    hchan& c = *cp;
    if (ROTA_UNLIKELY(!c.mu.try_acquire_by(mp->bias))) return lock_and_send(*mp, c, elem, block);
    const std::size_t count = c.count.load(memory_order_relaxed);  // relaxed: under mu
    if (ROTA_UNLIKELY(count >= c.send_below)) return finish_send(*mp, c, elem, block);
    std::size_t at = c.send_at;
    std::memcpy(c.buf + at * sizeof(std::uint64_t), elem, sizeof(std::uint64_t));
    c.send_at = ++at == c.capacity ? 0 : at;
    c.count.store(count + 1, memory_order_relaxed);  // relaxed: under mu
    if (ROTA_UNLIKELY(!c.mu.try_release())) return release_and_leave(*mp, c);
    return leave_by(*mp, chan_result::ok);
}

chan_result chan_recv(hchan* cp, void* elem, bool block) ROTA_NO_TSA {
    m* mp = nullptr;
    if (ROTA_UNLIKELY(cp == nullptr || (mp = try_enter_runtime()) == nullptr))
        return recv_slow(cp, elem, block);
    hchan& c = *cp;
    if (ROTA_UNLIKELY(!c.mu.try_acquire_by(mp->bias))) return lock_and_recv(*mp, c, elem, block);
    const std::size_t count = c.count.load(memory_order_relaxed);  // relaxed: under mu
    if (ROTA_UNLIKELY(count <= c.recv_above)) return finish_recv(*mp, c, elem, block);
    std::size_t at = c.recv_at;
    std::memcpy(elem, c.buf + at * sizeof(std::uint64_t), sizeof(std::uint64_t));
    c.recv_at = ++at == c.capacity ? 0 : at;
    c.count.store(count - 1, memory_order_release);  // pairs(chan.emptied)
    if (ROTA_UNLIKELY(!c.mu.try_release())) return release_and_leave(*mp, c);
    return leave_by(*mp, chan_result::ok);
}

namespace {

// Whether an attempt that would find nothing to do may return without entering the runtime. False
// when the goroutine is asked to yield: a polling goroutine would starve the rest.
ROTA_ALWAYS_INLINE bool may_return_at_once() {
    m* const mp = getm_or_null();
    return ROTA_LIKELY(mp != nullptr &&
                       !mp->preempt.load(memory_order_relaxed));  // relaxed: advice
}

}  // namespace

chan_result chan_try_send(hchan* c, const void* elem) {
    if ((c == nullptr || !c->is_sendable()) && may_return_at_once())
        return chan_result::would_block;
    return chan_send(c, elem, false);
}

chan_result chan_try_recv(hchan* c, void* elem) {
    if ((c == nullptr || !c->is_receivable()) && may_return_at_once())
        return chan_result::would_block;
    return chan_recv(c, elem, false);
}

bool chan_is_sendable(const hchan* c) {
    if (c != nullptr && c->is_sendable()) return true;
    if (may_return_at_once()) return false;
    const runtime_entry inside;  // it yields when it leaves
    return false;
}

void chan_close(hchan* c) {
    if (c == nullptr) throw panic_error("close of nil channel");
    bool twice = false;
    {
        const runtime_entry inside;
        lock_chan(*c);
        twice = c->closed.load(memory_order_relaxed);  // relaxed: under mu
        // Before the queues are emptied. relaxed: a reader without mu reads the queues first
        c->closed.store(true, memory_order_relaxed);
        chan_sudog* const receivers = c->recvq.take_all();
        chan_sudog* const senders = c->sendq.take_all();
        c->update_fast_ways();
        c->mu.release();
        wake_all(receivers);
        wake_all(senders);
    }
    if (twice) throw panic_error("close of closed channel");
}

void chan_embed(hchan& c, std::byte* buf, std::size_t elem_size, std::size_t capacity,
                void (*destroy)(hchan*)) ROTA_NO_TSA {  // no other thread knows it
    c.buf = buf;
    c.elem_size = elem_size;
    c.capacity = capacity;
    c.destroy = destroy;
    c.made_in = current_bubble();
    c.update_fast_ways();
}

void chan_set_bubble(hchan& c, std::uint64_t serial) {
    const runtime_entry inside;
    const chan_guard guard(c);
    c.made_in = serial;
}

chan_result chan_feed(hchan& c, std::int64_t (*value)(), atomic<bool>& valid) {
    lock_chan(c);
    if (!valid.exchange(false, memory_order_relaxed)) {  // relaxed: under mu
        c.mu.release();
        return chan_result::would_block;
    }
    const std::int64_t elem = value();
    chan_sudog* receiver = nullptr;
    const chan_result r = attempt_send(c, &elem, receiver, own_bias());
    c.mu.release();
    if (receiver != nullptr) wake(*receiver, true);
    return r;
}

bool chan_drain(hchan& c) {
    const std::size_t count = c.count.load(memory_order_relaxed);  // relaxed: under mu
    c.recv_at = c.send_at;
    c.count.store(0, memory_order_relaxed);  // relaxed: under mu
    return count > 0;
}

void panic_send_on_closed() { throw panic_error("send on closed channel"); }

std::size_t chan_len(const hchan* c) noexcept {
    if (c == nullptr || c->is_timers()) return 0;
    return c->count.load(memory_order_relaxed);  // relaxed: true at some moment
}

std::size_t chan_cap(const hchan* c) noexcept {
    return c == nullptr || c->is_timers() ? 0 : c->capacity;
}

bool chan_closed(const hchan* c) noexcept {
    return c != nullptr && c->closed.load(memory_order_relaxed);  // relaxed: true at some moment
}

}  // namespace rota::detail
