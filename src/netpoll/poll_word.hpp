// poll_word: one direction of a descriptor, as the poller and those who wait see it.
//
// One word holds all that decides whether a goroutine waits, so that each step is one exchange of
// it and no two words can tell different stories:
//
//     bits 3..   the g that waits, or 0: a g's address is a multiple of 8
//     bit 2      closed: for good
//     bit 1      expired: the deadline has passed; until another one is set
//     bit 0      ready: the kernel has said so, and nobody has used it
//
//                          arm(g), in the commit of its park
//     none ───────────────────────────────────────────────────────────► g
//      │ ▲                                                              │
//      │ └──── take(), by the one who wants to read or write ────┐      │ ready(), expire(),
//      close(): └──── ready() ──► ready ──────────────────────────────────┘      │ the bit is set,
//      the g is └──── expire() ──► expired ──── unexpire() ──► none    ◄─────────┘ out and
//      returned: the └──── close() ──► closed, for good                                 caller
//      readies it
//
// A wait begins off the goroutine's stack, in one step that fails if any bit is set; so nothing
// that comes before the goroutine has parked is overlooked, and none is readied that has not
// parked. Who has taken a g out by ready(), and tries in its stead, uses the bit up first, as
// take() would: unready(). `ready` may be said once too often: who takes it tries again, and finds
// nothing. It is never said too rarely: the kernel tells of each change (edge-triggered), and a
// change that comes while the bit is set is seen by who takes that. Go: pollDesc's rg and wg; there
// the deadline and the close live in words of their own, which is why a wait must look at them
// twice.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "base/check.hpp"
#include "core/g.hpp"

namespace rota::rt {

class poll_word {
  public:
    enum class state : std::uint8_t { none, ready, expired, closed };

    // What a call on the descriptor finds; `ready` is used up by it. Closed comes before expired,
    // expired before ready: a call that is too late fails, whatever it could have done. Caller: one
    // at a time, who holds the direction.
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

    // As take(), and leaves `ready` where it is.
    state look() const {
        const std::uintptr_t seen = word_.load(memory_order_acquire);  // pairs(poll.word)
        if ((seen & closed_bit) != 0) return state::closed;
        if ((seen & expired_bit) != 0) return state::expired;
        return (seen & ready_bit) != 0 ? state::ready : state::none;
    }

    // Whether somebody waits: a guess, unless nobody else touches the word.
    bool has_waiter_hint() const {
        return word_.load(memory_order_relaxed) > all_bits;  // relaxed: a guess
    }

    // The g, which is off its stack, waits from now on. False: something has happened, it does not.
    bool arm(g& gp) {
        // release: who takes the g out of the word finds it as it was when it parked.
        std::uintptr_t seen = 0;
        const bool waits = word_.compare_exchange(seen, reinterpret_cast<std::uintptr_t>(&gp),
                                                  memory_order_acq_rel,   // pairs(poll.word)
                                                  memory_order_acquire);  // pairs(poll.word)
        ROTA_CHECK(waits || seen <= all_bits);                            // never a second one
        return waits;
    }

    // The three that let a g go on. Each returns the one that has waited, which the caller readies,
    // or null.
    [[nodiscard]] g* ready() { return set(ready_bit); }
    [[nodiscard]] g* expire() { return set(expired_bit); }
    [[nodiscard]] g* close() { return set(closed_bit); }

    // What the kernel has said is used up. Caller: who has taken the g out, and then tries in its
    // stead; a change that comes behind this is told anew.
    void unready() {
        (void)word_.fetch_and(~ready_bit, memory_order_acq_rel);  // pairs(poll.word)
    }

    // There is a new deadline, or none.
    void unexpire() {
        (void)word_.fetch_and(~expired_bit, memory_order_acq_rel);  // pairs(poll.word)
    }

    // For another descriptor. Caller: the only one who knows the record.
    void reset() { word_.store(0, memory_order_relaxed); }  // relaxed: handed over with the record

  private:
    static constexpr std::uintptr_t ready_bit = 1, expired_bit = 2, closed_bit = 4, all_bits = 7;

    g* set(std::uintptr_t bit) {
        // Also where the bit is set already: who takes it must come either before this exchange,
        // and then finds it again, or after, and then sees what the kernel has told us.
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
