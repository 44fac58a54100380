// hchan: the channel itself. Go: runtime/chan.go, hchan.
//
// Invariants, under mu: at least one of sendq and recvq is empty, unless one goroutine waits for
// both sides in a select; buffered values imply an empty recvq, free slots an empty sendq. A value
// goes straight from sender to receiver when one of them waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <rota/detail/chan_engine.hpp>

#include "base/annotations.hpp"
#include "base/atomic.hpp"
#include "core/sudog.hpp"
#include "sys/lock.hpp"

namespace rota::rt {

// First in, first out, doubly linked. Guarded by the channel's lock. Go: waitq.
class waitq {
  public:
    bool empty() const { return first_ == nullptr; }

    void enqueue(sudog& s) {
        s.next = nullptr;
        s.prev = last_;
        if (last_ == nullptr) first_ = &s;
        else last_->next = &s;
        last_ = &s;
    }

    [[nodiscard]] sudog* dequeue() {
        sudog* const s = first_;
        if (s == nullptr) return nullptr;
        first_ = s->next;
        if (first_ == nullptr) last_ = nullptr;
        else first_->prev = nullptr;
        s->next = nullptr;
        return s;
    }

    // Takes all, linked by `next`; null if there is none.
    [[nodiscard]] sudog* take_all() {
        sudog* const first = first_;
        first_ = last_ = nullptr;
        return first;
    }

  private:
    sudog* first_ = nullptr;
    sudog* last_ = nullptr;
};

}  // namespace rota::rt

namespace rota::detail {

struct alignas(rt::cache_line) hchan {
    // --- fixed ---------------------------------------------------------------------
    std::byte* buf = nullptr;  // capacity * elem_size bytes behind this header
    std::size_t elem_size = 0;
    std::size_t capacity = 0;
    chan_drop drop = nullptr;

    // --- guarded by mu; count and closed are read by anyone as hints ---------------
    rt::lock mu{rt::lock_rank::chan};
    rt::atomic<bool> closed{false};
    rt::atomic<std::size_t> count{0};
    std::size_t send_at ROTA_GUARDED_BY(mu) = 0;  // the next slot to fill
    std::size_t recv_at ROTA_GUARDED_BY(mu) = 0;  // the next slot to empty
    // A word may be sent without looking further while count < send_below, and received while
    // count > recv_above: set by update_fast_ways() from the other fields.
    std::size_t send_below ROTA_GUARDED_BY(mu) = 0;
    std::size_t recv_above ROTA_GUARDED_BY(mu) = 0;
    rt::waitq recvq ROTA_GUARDED_BY(mu);
    rt::waitq sendq ROTA_GUARDED_BY(mu);

    // --- anyone writes ----------------------------------------------------------------
    rt::atomic<std::uint64_t> refs{
        1};  // the last one out sees what the others did: pairs(chan.refs)

    // Called before mu is released by whoever has changed closed, recvq or sendq.
    void update_fast_ways() ROTA_REQUIRES(mu) {
        if (capacity == 0) return;  // no fast way: both limits stay 0
        const bool words = elem_size == sizeof(std::uint64_t);
        const bool is_closed = closed.load(std::memory_order_relaxed);  // relaxed: under mu
        send_below = words && !is_closed && recvq.empty() ? capacity : 0;
        recv_above = words && sendq.empty() ? 0 : capacity;
    }
};

}  // namespace rota::detail
