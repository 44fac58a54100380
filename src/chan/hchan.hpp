// Holds a channel: hchan is its buffer, its waiters and its lock. Go: runtime/chan.go, hchan.
//
// Invariants, under mu, where a goroutine that was woken elsewhere does not count as waiting:
// * sendq or recvq is empty, unless a goroutine waits for both sides in a select;
// * buffered values imply an empty recvq, and free slots an empty sendq.
// A value goes straight from sender to receiver if either of them waits.
#pragma once

#include <cstddef>
#include <cstdint>

#include <rota/detail/chan_engine.hpp>

#include "base/annotations.hpp"
#include "base/atomic.hpp"
#include "chan/waitq.hpp"
#include "sys/thread/lock.hpp"

namespace rota::detail {

struct alignas(rt::cache_line) hchan {
    // --- fixed ---------------------------------------------------------------------
    std::byte* buf = nullptr;  // capacity * elem_size bytes behind this header
    std::size_t elem_size = 0;
    std::size_t capacity = 0;
    chan_drop drop = nullptr;
    // Set for a channel that is part of another object: called, instead of freeing the channel,
    // when the last reference has gone.
    void (*destroy)(hchan*) = nullptr;

    // --- guarded by mu ------------------------------------------------------------------
    // The serial number of the channel's bubble; 0: it was made outside any bubble.
    std::uint64_t made_in ROTA_GUARDED_BY(mu) = 0;

    // --- guarded by mu; count, closed, has_any() are hints for any thread -----------
    rt::lock mu{rt::lock_rank::chan};
    rt::atomic<bool> closed{false};
    rt::atomic<std::size_t> count{0};
    std::size_t send_at ROTA_GUARDED_BY(mu) = 0;  // the next slot to fill
    std::size_t recv_at ROTA_GUARDED_BY(mu) = 0;  // the next slot to empty
    // A word may be sent without a further look while count < send_below, and received while count
    // > recv_above. Set by update_fast_ways() from the fields above and the queues.
    std::size_t send_below ROTA_GUARDED_BY(mu) = 0;
    std::size_t recv_above ROTA_GUARDED_BY(mu) = 0;
    rt::waitq recvq ROTA_GUARDED_BY(mu);
    rt::waitq sendq ROTA_GUARDED_BY(mu);
    // The bias of the p that uses the channel, as far as the waits tell: see note_wait().
    std::uint32_t used_by ROTA_GUARDED_BY(mu) = rt::no_bias;
    bool was_send ROTA_GUARDED_BY(mu) = false;   // whether the last wait was for room
    std::uint64_t uses ROTA_GUARDED_BY(mu) = 0;  // consecutive uses by that p, roughly
    // after so many uses mu is biased to that p
    std::uint64_t uses_to_bias ROTA_GUARDED_BY(mu) = 1024;

    // --- anyone writes ----------------------------------------------------------------
    rt::atomic<std::uint64_t> refs{
        1};  // the last release sees the writes before every release: pairs(chan.refs)

    // A timer's or a ticker's channel. Its buffer is the runtime's own: a program finds length and
    // capacity 0, as in Go since 1.23.
    bool is_timers() const { return destroy != nullptr; }

    // Caller: a thread that has changed closed, recvq or sendq, before it releases mu.
    void update_fast_ways() ROTA_REQUIRES(mu) {
        if (capacity == 0) return;  // no fast way: both limits stay 0
        const bool words = elem_size == sizeof(std::uint64_t);
        const bool is_closed = closed.load(std::memory_order_relaxed);  // relaxed: under mu
        send_below = words && !is_closed && !recvq.has_any() ? capacity : 0;
        recv_above = words && !sendq.has_any() ? 0 : capacity;
    }

    // The lock of a channel between goroutines of a single p is biased to that p, which saves about
    // 4 ns a use. For another p, ending the bias costs some microseconds. So mu is biased only
    // after about as many uses as would have saved that much; each further bias takes four times as
    // many uses. Between a wait for room and a wait for values the whole buffer has passed.
    void note_wait(std::uint32_t by, bool is_send) ROTA_REQUIRES(mu) {
        if (mu.is_biased_to(by)) return;  // the next use by another p ends the bias
        note_use(by);
        uses += is_send == was_send ? 1 : capacity + 1;
        was_send = is_send;
        if (uses < uses_to_bias || mu.is_biased() || !mu.bias_to(by)) return;
        uses = 0;
        if (uses_to_bias < (std::uint64_t{1} << 40)) uses_to_bias *= 4;
    }
    // Caller: a goroutine that waits, and a waker.
    void note_use(std::uint32_t by) ROTA_REQUIRES(mu) {
        if (ROTA_LIKELY(by == used_by)) return;
        used_by = by;
        uses = 0;
    }

    // Whether a receive, or a send, would complete at once. With mu held the answer is exact,
    // except that a queue may hold only waiters woken elsewhere. Without mu it was true at a moment
    // between call and return: `closed` is final and read last, and a reader that sees the queues
    // or the count as a close has left them sees `closed` too. So if it reads `closed` as false, it
    // has read the rest on an open channel. relaxed: a failed attempt orders nothing.
    bool is_receivable() const ROTA_NO_TSA {  // the queues' hints may be read without mu
        return count.load(rt::memory_order_acquire) != 0 ||  // pairs(chan.emptied)
               sendq.has_any() || closed.load(rt::memory_order_relaxed);
    }
    // A buffer fills on open channels only, so that its count needs no order.
    bool is_sendable() const ROTA_NO_TSA {  // as above
        return count.load(rt::memory_order_relaxed) < capacity || recvq.has_any() ||
               closed.load(rt::memory_order_relaxed);
    }
};

// Takes c's lock, by the bias of the calling thread.
ROTA_ALWAYS_INLINE void lock_chan(hchan& c) ROTA_ACQUIRE(c.mu) { c.mu.acquire_by(rt::own_bias()); }

class ROTA_SCOPED_CAPABILITY chan_guard {
  public:
    explicit chan_guard(hchan& c) ROTA_ACQUIRE(c.mu) : c_(c) { lock_chan(c); }
    ~chan_guard() ROTA_RELEASE() { c_.mu.release(); }
    chan_guard(const chan_guard&) = delete;
    chan_guard& operator=(const chan_guard&) = delete;

  private:
    hchan& c_;
};

// Makes c, which is part of another object, a channel with a single reference.
void chan_embed(hchan& c, std::byte* buf, std::size_t elem_size, std::size_t capacity,
                void (*destroy)(hchan*));

// From this call on c belongs to the bubble with that serial number, wherever it was made. 0: to no
// bubble, so that a goroutine of a bubble that waits in c waits for the outside.
void chan_set_bubble(hchan& c, std::uint64_t serial);

// Ends the process with a report if a goroutine waits in c and may go on. False: no goroutine
// waits. True: goroutines wait, without harm, and c must stay. Caller: the thread that has dropped
// the last reference.
bool chan_report_waiters(const hchan& c, const char* what);

// If `valid` is still set, clears it and sends value(), as a chan_send that may not block. Both
// happen under the channel's lock; a thread that voids the value does so under that lock. Caller:
// inside the runtime, or the scheduler.
chan_result chan_feed(hchan& c, std::int64_t (*value)(), rt::atomic<bool>& valid);

// Drops the buffered values, which must need no destruction. True if there were any.
bool chan_drain(hchan& c) ROTA_REQUIRES(c.mu);

}  // namespace rota::detail
