// waitq: the goroutines that wait on one side of a channel, first come, first served. Go: waitq,
// selectDone.
//
// A goroutine that waits in one queue is woken by the thread that takes it out. A select, or a wait
// with a time limit, has a sudog in each of its queues and one claim for them together. A waker may
// ready that goroutine only by changing the claim, once, from `open` to the number of the sudog it
// found. A waker that finds the claim changed drops the sudog and goes on to the next in the queue.
//
// The claim and the sudogs lie in the waiter's frame. The winner of the claim may use them until it
// readies the waiter. A loser is done with them when it releases the queue's lock: before the
// waiter returns, it takes that lock to remove its sudog, whether it is still there or not.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/annotations.hpp"
#include "base/atomic.hpp"
#include "core/g.hpp"

namespace rota::rt {

// Lies in the frame of the waiting function, and is gone once its goroutine has been readied. Go:
// sudog. (The sudog of the semaphores, core/sudog.hpp, carries a tree.)
struct chan_sudog {
    g* gp;
    chan_sudog* next;  // in the queue, under its lock; or in a chain of sudogs taken out together
    chan_sudog* prev;
    void* elem;                    // the value's place in the waiter's frame
    atomic<std::uint32_t>* claim;  // null: it waits in this queue only
    std::uint32_t number;          // of this sudog, among the sudogs with the same claim
    bool success;                  // woken by a communication, not by close; written by the waker
};

inline constexpr std::uint32_t claim_open = ~std::uint32_t{0};

// Claims the wake-up of s's goroutine by s. relaxed: the exchange decides; the queue's lock and
// goready publish the data that goes with it.
ROTA_ALWAYS_INLINE bool take_claim(chan_sudog& s) {
    return s.claim->cas(claim_open, s.number, memory_order_relaxed);
}

// Doubly linked. Guarded by the channel's lock; has_any() is a hint for readers without it.
class waitq {
  public:
    // False: the queue is empty, and the caller sees the effects from before the last waiter left
    // it. True: a goroutine may wait, or has perhaps been woken elsewhere.
    bool has_any() const {
        return first_.load(memory_order_acquire) != nullptr;  // pairs(chan.emptied)
    }

    void enqueue(chan_sudog& s) {
        if (s.claim != nullptr) ++claims_;
        s.next = nullptr;
        s.prev = last_;
        if (last_ == nullptr) set_first(&s);
        else last_->next = &s;
        last_ = &s;
    }

    // The first waiter that the caller may wake; null if there is none.
    [[nodiscard]] chan_sudog* dequeue() { return dequeue_from(first()); }
    // As dequeue; the caller has seen that s is the first.
    [[nodiscard]] chan_sudog* dequeue_from(chan_sudog* s) {
        for (; s != nullptr; s = first()) {
            unlink_first(*s);
            if (ROTA_LIKELY(s->claim == nullptr)) return s;
            --claims_;
            if (take_claim(*s)) return s;
        }
        return nullptr;
    }
    chan_sudog* first() const { return first_.load(memory_order_relaxed); }  // relaxed: under lock

    // Calls each(sudog) for every sudog, including those of goroutines woken elsewhere.
    template <class F>
    void for_each(F each) const {
        for (const chan_sudog* s = first(); s != nullptr; s = s->next) each(*s);
    }

    // Takes s out, wherever it stands. False: another thread has taken it out already.
    bool remove(chan_sudog& s) {
        if (s.prev == nullptr && first() != &s) return false;
        if (s.claim != nullptr) --claims_;
        if (s.prev == nullptr) set_first(s.next);
        else s.prev->next = s.next;
        if (s.next == nullptr) last_ = s.prev;
        else s.next->prev = s.prev;
        s.next = s.prev = nullptr;
        return true;
    }

    // Takes out every waiter that the caller may wake, linked by `next`; null if there is none.
    [[nodiscard]] chan_sudog* take_all() {
        chan_sudog* s = first();
        if (claims_ != 0) return take_claimed();
        set_first(nullptr);
        last_ = nullptr;
        return s;
    }

    // For debuggers.
    static constexpr std::size_t first_offset() { return offsetof(waitq, first_); }

  private:
    void set_first(chan_sudog* s) {
        first_.store(s, memory_order_release);  // pairs(chan.emptied)
    }

    void unlink_first(chan_sudog& s) {
        chan_sudog* const next = s.next;
        if (next == nullptr) last_ = nullptr;
        else next->prev = nullptr;
        s.next = nullptr;
        set_first(next);
    }

    // The claims must be taken before the lock is released: the frames of goroutines woken
    // elsewhere may be gone afterwards.
    ROTA_NOINLINE chan_sudog* take_claimed() {
        chan_sudog* taken = nullptr;
        chan_sudog** tail = &taken;
        while (chan_sudog* const s = dequeue()) {
            *tail = s;
            tail = &s->next;
        }
        return taken;
    }

    atomic<chan_sudog*> first_{nullptr};
    chan_sudog* last_ = nullptr;
    std::uint32_t claims_ = 0;  // sudogs in the queue that have a claim
};

}  // namespace rota::rt
