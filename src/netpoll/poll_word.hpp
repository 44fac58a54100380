// poll_word: one direction of a descriptor, as the poller and its waiters see it.
//
// One word decides whether a goroutine waits, so that each step is one exchange of it and no two
// words can contradict each other:
//     bits 3..   the g that waits, or 0: a g's address is a multiple of 8
//     bit 2      closed: for good
//     bit 1      expired: the deadline has passed; until a new deadline is set
//     bit 0      ready: the kernel has reported it, and no call has used it
//
//                          arm(g), in the commit of its park
//     none ───────────────────────────────────────────────────────────► g
//      │ ▲                                                              │
//      │ └──── take(), by a call that wants to read or write ────┐      │ ready(), expire(),
//      close(): └──── ready() ──► ready ──────────────────────────────────┘      │ the bit is set,
//      the g is └──── expire() ──► expired ──── unexpire() ──► none    ◄─────────┘ out and
//      returned: the └──── close() ──► closed, for good                                 caller
//      readies it
//
// A wait begins off the goroutine's stack, in one step that fails if any bit is set. So no event
// before the park is overlooked, and no goroutine is readied that has not parked. A thread that has
// taken a g out by ready(), and reads in its place, first uses the bit up, as take() would:
// unready(). `ready` may be set once too often: the taker tries again, and finds nothing. It is
// never set too rarely: the kernel reports each change (edge-triggered), and the taker of a set bit
// sees a change that comes meanwhile. Go: pollDesc's rg and wg; there the deadline and the close
// live in words of their own, which is why a wait must check them twice.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "base/check.hpp"
#include "core/g.hpp"

namespace rota::rt {

class poll_word {
  public:
    enum class state : std::uint8_t { none, ready, expired, closed };

    // The state for a call on the descriptor; it uses `ready` up. Closed comes before expired,
    // expired before ready: a call that is too late fails, even if it could do its work. Caller:
    // the holder of the direction, one at a time.
    state take() {
        std::uintptr_t seen = word_.load(memory_order_acquire);  // pairs(poll.word)
        for (;;) {
            ROTA_CHECK(seen <= all_bits);
            if ((seen & closed_bit) != 0) return state::closed;
            if ((seen & expired_bit) != 0) return state::expired;
            if (seen == 0) return state::none;
            if (word_.compare_exchange(seen, 0, memory_order_acq_rel,  // pairs(poll.word)
                                       memory_order_acquire))          // pairs(poll.word)
                return state::ready;
        }
    }

    // take() that leaves `ready` set.
    state look() const {
        const std::uintptr_t seen = word_.load(memory_order_acquire);  // pairs(poll.word)
        if ((seen & closed_bit) != 0) return state::closed;
        if ((seen & expired_bit) != 0) return state::expired;
        return (seen & ready_bit) != 0 ? state::ready : state::none;
    }

    // Whether a goroutine waits: a guess, unless only the caller touches the word.
    bool has_waiter_hint() const {
        return word_.load(memory_order_relaxed) > all_bits;  // relaxed: a guess
    }

    // The g, which is off its stack, waits from now on. False: a bit is set, so it does not wait.
    bool arm(g& gp) {
        // release: a thread that takes the g out of the word finds it as it was when it parked.
        std::uintptr_t seen = 0;
        const bool waits = word_.compare_exchange(seen, reinterpret_cast<std::uintptr_t>(&gp),
                                                  memory_order_acq_rel,   // pairs(poll.word)
                                                  memory_order_acquire);  // pairs(poll.word)
        ROTA_CHECK(waits || seen <= all_bits);                            // never a second waiter
        return waits;
    }

    // The three functions that let a g go on. Each returns the g that has waited, which the caller
    // readies, or null.
    [[nodiscard]] g* ready() { return set(ready_bit); }
    [[nodiscard]] g* expire() { return set(expired_bit); }
    [[nodiscard]] g* close() { return set(closed_bit); }

    // Uses the kernel's report up. Caller: has taken the g out, and then reads in its place; a
    // later change is reported anew.
    void unready() {
        (void)word_.fetch_and(~ready_bit, memory_order_acq_rel);  // pairs(poll.word)
    }

    // The deadline is a new one, or none.
    void unexpire() {
        (void)word_.fetch_and(~expired_bit, memory_order_acq_rel);  // pairs(poll.word)
    }

    // For a new descriptor. Caller: the only thread that knows the record.
    void reset() { word_.store(0, memory_order_relaxed); }  // relaxed: handed over with the record

  private:
    static constexpr std::uintptr_t ready_bit = 1, expired_bit = 2, closed_bit = 4, all_bits = 7;

    g* set(std::uintptr_t bit) {
        // The exchange is needed even where the bit is set. A taker comes either before it, and
        // then finds the bit again; or after it, and then sees the memory that the kernel has told
        // us about.
        std::uintptr_t seen = word_.load(memory_order_acquire);  // pairs(poll.word)
        for (;;) {
            if (word_.compare_exchange(seen, (seen & all_bits) | bit,
                                       memory_order_acq_rel,   // pairs(poll.word)
                                       memory_order_acquire))  // pairs(poll.word)
                return reinterpret_cast<g*>(seen & ~all_bits);
        }
    }

    atomic<std::uintptr_t> word_{0};
};
static_assert(alignof(g) >= 8, "the low bits of a g's address say something else");

}  // namespace rota::rt
