// waitq: who waits on one side of a channel, first come, first served. Go: waitq, selectDone.
//
// A goroutine that waits in one place only is woken by whoever takes it out of the queue. One that
// waits in several, a select or a wait with a time limit, has a sudog in each and one claim for all
// of them: whoever finds a sudog may wake its goroutine only by changing the claim, once, from
// `open` to the sudog's number. The others find it changed, drop the sudog and go on to the next
// one in the queue.
//
// The claim and the sudogs lie in the waiter's frame. Who has won the claim may use them until it
// readies the waiter. Who has lost it is done with them when it releases the queue's lock: the
// waiter, before it returns, takes that lock to remove its sudog, whether it is still there or not.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/annotations.hpp"
#include "base/atomic.hpp"
#include "core/g.hpp"

namespace rota::rt {

// In the frame of the function that waits; gone as soon as its goroutine has been readied. Go:
// sudog. (That of the semaphores, core/sudog.hpp, carries a tree.)
struct chan_sudog {
    g* gp;
    chan_sudog* next;  // in the queue, under its lock; of those taken out together
    chan_sudog* prev;
    void* elem;                    // the value's place in the waiter's frame
    atomic<std::uint32_t>* claim;  // null: waits here only
    std::uint32_t number;          // of this one, among those with the same claim
    bool success;                  // woken by a communication, not by close; written by the waker
};

inline constexpr std::uint32_t claim_open = ~std::uint32_t{0};

// Makes s the one by which its goroutine is woken. relaxed: the exchange decides, what goes with it
// is passed on by the queue's lock and by goready.
ROTA_ALWAYS_INLINE bool take_claim(chan_sudog& s) {
    return s.claim->cas(claim_open, s.number, memory_order_relaxed);
}

// Doubly linked. Guarded by the channel's lock; has_any() is a hint for those without it.
class waitq {
  public:
    // False: nobody waits, and the caller sees what was done before the last one left. True:
    // somebody may, but perhaps has been woken elsewhere.
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

    // The first one that is the caller's to wake; null if there is none.
    [[nodiscard]] chan_sudog* dequeue() { return dequeue_from(first()); }
    // As dequeue, by who has looked already that s is the first.
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

    // Calls each(sudog) for all, those who have been woken elsewhere too.
    template <class F>
    void for_each(F each) const {
        for (const chan_sudog* s = first(); s != nullptr; s = s->next) each(*s);
    }

    // Takes s out, wherever it stands. False: somebody else has taken it out already.
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

    // Takes all who are the caller's to wake, linked by `next`; null if there is none.
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

    // The claims must be taken before the lock is released: the frames of those who are woken
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
    std::uint32_t claims_ = 0;  // how many of them have a claim
};

}  // namespace rota::rt
