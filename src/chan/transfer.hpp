// Makes one step of a send or a receive on a locked channel, for callers that wait afterwards and
// for callers that try several channels. Go: the bodies of chansend, chanrecv.
//
// Nothing here parks, wakes or releases the lock. A peer that was served is returned; the caller
// wakes it once the lock is free, since the peer takes that lock next.
#pragma once

#include <cstddef>
#include <cstring>

#include "chan/hchan.hpp"
#include "sched/base/park.hpp"

namespace rota::detail {

// Most elements are a pointer or an integer: one move instead of a call.
ROTA_ALWAYS_INLINE void copy_elem(void* to, const void* from, std::size_t size) {
    if (size == 8) std::memcpy(to, from, 8);
    else if (size == 4) std::memcpy(to, from, 4);
    else if (size != 0) std::memcpy(to, from, size);
}

inline void buf_put(hchan& c, const void* elem) ROTA_REQUIRES(c.mu) {
    copy_elem(c.buf + c.send_at * c.elem_size, elem, c.elem_size);
    if (++c.send_at == c.capacity) c.send_at = 0;
    c.count.store(c.count.load(rt::memory_order_relaxed) + 1,
                  rt::memory_order_relaxed);  // relaxed: under mu
}

// From the oldest slot; the count is the caller's.
inline void buf_take(hchan& c, void* elem) ROTA_REQUIRES(c.mu) {
    copy_elem(elem, c.buf + c.recv_at * c.elem_size, c.elem_size);
    if (++c.recv_at == c.capacity) c.recv_at = 0;
}

// `by`, here and below, is the bias of the calling thread.

// Takes the first waiter of a queue of c that can be woken; null if there is none.
ROTA_ALWAYS_INLINE rt::chan_sudog* take_waiter(hchan& c, rt::waitq& q, std::uint32_t by)
    ROTA_REQUIRES(c.mu) {
    rt::chan_sudog* s = q.first();
    if (s == nullptr) return nullptr;
    s = q.dequeue_from(s);
    c.note_use(by);
    c.update_fast_ways();
    return s;
}

// `peer` is the receiver that got the value, if there was one.
ROTA_ALWAYS_INLINE chan_result attempt_send(hchan& c, const void* elem, rt::chan_sudog*& peer,
                                            std::uint32_t by) ROTA_REQUIRES(c.mu) {
    if (ROTA_UNLIKELY(c.closed.load(rt::memory_order_relaxed)))  // relaxed: under mu
        return chan_result::closed;
    peer = take_waiter(c, c.recvq, by);
    if (peer != nullptr) {
        copy_elem(peer->elem, elem, c.elem_size);
        return chan_result::ok;
    }
    if (c.count.load(rt::memory_order_relaxed) < c.capacity) {  // relaxed: under mu
        buf_put(c, elem);
        return chan_result::ok;
    }
    return chan_result::would_block;
}

// `peer` is the sender that handed over its value, if there was one.
ROTA_ALWAYS_INLINE chan_result attempt_recv(hchan& c, void* elem, rt::chan_sudog*& peer,
                                            std::uint32_t by) ROTA_REQUIRES(c.mu) {
    const std::size_t count = c.count.load(rt::memory_order_relaxed);  // relaxed: under mu
    if (count > 0) {
        // A sender that waits for room gets the slot that becomes free. It is the tail of a full
        // buffer, so the order is kept. The count is never lower than the number of values: see
        // is_receivable.
        std::byte* const slot = c.buf + c.recv_at * c.elem_size;
        buf_take(c, elem);
        peer = take_waiter(c, c.sendq, by);
        if (peer == nullptr) {
            c.count.store(count - 1, rt::memory_order_release);  // pairs(chan.emptied)
        } else {
            copy_elem(slot, peer->elem, c.elem_size);
            c.send_at = c.recv_at;
        }
        return chan_result::ok;
    }
    peer = take_waiter(c, c.sendq, by);
    if (peer != nullptr) {
        copy_elem(elem, peer->elem, c.elem_size);
        return chan_result::ok;
    }
    return c.closed.load(rt::memory_order_relaxed) ? chan_result::closed  // relaxed: under mu
                                                   : chan_result::would_block;
}

// The sudog and the value's place lie in the waiter's frame: neither is touched once it is readied.
ROTA_ALWAYS_INLINE void wake(rt::chan_sudog& s, bool success) {
    s.success = success;
    rt::goready(*s.gp);
}

[[noreturn]] inline void block_for_ever(rt::wait_reason why) {
    for (;;) rt::gopark(nullptr, nullptr, why);
}

}  // namespace rota::detail
