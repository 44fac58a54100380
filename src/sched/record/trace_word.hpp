// Packs what a reader of the trace knows of a goroutine into one word, g::traced.
//
//     generation | state | how many starts and unblocks in that generation
//
// The thread that changes the state of a goroutine owns the word, as docs/tracing.md says, and
// writes it with each event. At the end of a generation, the goroutine that serves the trace tells
// the state of each goroutine without an event, while a waker may wake that goroutine. Both turn
// the word to the running generation by a compare-and-swap: the winner tells the state that the
// word had. Only its owner writes a word of the running generation.
//
// No rota::atomic: the words change nothing in a run, and would be choices to the explorer of
// schedules. relaxed: a goroutine is handed over with its word, and a stop of the world hands over
// a generation with its words. The thread that turns a word reads the goroutine's data before that:
// as soon as the word is turned, the goroutine may end and its place be reused.
#pragma once

#include <cstdint>

#include "core/g.hpp"
#include "trace/wire.hpp"

namespace rota::rt {

class traced_word {
  public:
    traced_word(std::uint32_t generation, traced_g state, std::uint64_t seq = 0)
        : bits_(std::uint64_t{generation} << generation_shift |
                static_cast<std::uint64_t>(state) << state_shift | seq) {}

    static traced_word of(const g& gp) {
        return traced_word(__atomic_load_n(&gp.traced, __ATOMIC_RELAXED));
    }
    void store_in(g& gp) const { __atomic_store_n(&gp.traced, bits_, __ATOMIC_RELAXED); }
    // False: the word differed, and *this is its value.
    bool replace_in(g& gp, traced_word by) {
        return __atomic_compare_exchange_n(&gp.traced, &bits_, by.bits_, false, __ATOMIC_ACQ_REL,
                                           __ATOMIC_RELAXED);
    }

    std::uint32_t generation() const {
        return static_cast<std::uint32_t>(bits_ >> generation_shift);
    }
    traced_g state() const { return static_cast<traced_g>(bits_ >> state_shift & 7); }
    std::uint64_t seq() const { return bits_ & ((std::uint64_t{1} << state_shift) - 1); }

    // The same generation and count, with another state.
    traced_word as(traced_g state) const {
        return traced_word((bits_ & ~(std::uint64_t{7} << state_shift)) |
                           static_cast<std::uint64_t>(state) << state_shift);
    }
    // The state after a further event, which is counted.
    traced_word next(traced_g state) const { return traced_word(as(state).bits_ + 1); }

  private:
    // Limits: 2^33 events of a goroutine take more than a minute; 2^28 generations take years.
    static constexpr unsigned generation_shift = 36, state_shift = 33;

    explicit traced_word(std::uint64_t bits) : bits_(bits) {}

    std::uint64_t bits_;
};

}  // namespace rota::rt
