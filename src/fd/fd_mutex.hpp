// fd_mutex: who uses a descriptor, who reads, who writes, and whether it is closed: one word.
//
//     bit 0        closed
//     bit 1, 2     somebody reads, writes
//     bits 3..22   references: calls under way, that which closes included
//     bits 23..42  goroutines that wait to read
//     bits 43..62  to write
//
// A call takes a reference, or, to read or write, a reference and the right to do so alone. Who
// closes sets the closed bit and sends all who wait for their turn away; from then on nobody gets
// in, but one to whom a turn was handed before is on its way: who has a turn asks whether it is
// closed. The last reference to go, of whatever call, is told so: the number may be given back to
// the kernel then, and not before (kb34).
//
// A turn is free for whoever comes. But one that calls again and again would find it free each time
// before the one runs whom it has woken, and sleep with it until the descriptor is ready: so to one
// that has been woken in vain, and has waited for 1 ms, the turn is handed over, as a mutex is. Go:
// internal/poll fdMutex, which never does.
#pragma once

#include <cstdint>

#include "base/annotations.hpp"
#include "base/atomic.hpp"
#include "base/check.hpp"

namespace rota::rt {

class fd_mutex {
  public:
    // False: it is closed. Caller of all: not inside a runtime_entry. Reading and writing park
    // while another one reads or writes.
    [[nodiscard]] bool acquire();
    [[nodiscard]] bool acquire_read() { return acquire_turn(reading); }
    [[nodiscard]] bool acquire_write() { return acquire_turn(writing); }
    // True: that was the last reference, and it is closed.
    [[nodiscard]] bool release();
    [[nodiscard]] bool release_read() { return release_turn(reading); }
    [[nodiscard]] bool release_write() { return release_turn(writing); }

    // Closes it, and takes a reference. False: it was closed before.
    [[nodiscard]] bool close();

    bool is_closed() const {
        return (state_.load(memory_order_relaxed) & closed_bit) != 0;  // relaxed: a hint
    }

  private:
    // What belongs to one of the two directions.
    struct direction {
        std::uint64_t held, waiter, waiters;
        bool is_read;
    };
    // Those who wait for a turn.
    struct line {
        atomic<std::uint32_t> waits{0};   // the semaphore where they sleep
        atomic<std::uint32_t> handed{0};  // a turn, and its reference, wait for one that is woken
        // The first has waited for long. Relaxed: advice, which it gives, and who hands over takes.
        atomic<bool> is_late{false};
    };
    static constexpr std::uint64_t closed_bit = 1, reference = 8,
                                   references = ((std::uint64_t{1} << 20) - 1) << 3;
    static constexpr direction reading = {2, std::uint64_t{1} << 23,
                                          ((std::uint64_t{1} << 20) - 1) << 23, true};
    static constexpr direction writing = {4, std::uint64_t{1} << 43,
                                          ((std::uint64_t{1} << 20) - 1) << 43, false};

    // Where nobody is in the way, which is nearly always, compiled into the call: a frame of their
    // own would be one more line of each stack that is far away (fd/read.cpp).
    ROTA_ALWAYS_INLINE bool acquire_turn(const direction& d) {
        std::uint64_t seen = state_.load(memory_order_relaxed);  // relaxed: decided by the exchange
        if (ROTA_LIKELY((seen & (closed_bit | d.held)) == 0 && (seen & references) != references) &&
            ROTA_LIKELY(state_.compare_exchange(seen, (seen | d.held) + reference,
                                                memory_order_acquire,    // pairs(fd.mutex)
                                                memory_order_relaxed)))  // relaxed: tried again
            return true;
        return await_turn(d);
    }
    ROTA_ALWAYS_INLINE bool release_turn(const direction& d) {
        std::uint64_t seen = state_.load(memory_order_relaxed);  // relaxed: decided by the exchange
        ROTA_DCHECK((seen & references) != 0);
        if (ROTA_LIKELY((seen & (closed_bit | d.held | d.waiters)) == d.held) &&
            ROTA_LIKELY(state_.compare_exchange(seen, (seen & ~d.held) - reference,
                                                memory_order_acq_rel,    // pairs(fd.mutex)
                                                memory_order_relaxed)))  // relaxed: tried again
            return false;
        return hand_turn_on(d);
    }
    // The same whatever is in the way.
    bool await_turn(const direction& d);
    bool hand_turn_on(const direction& d);
    line& line_of(const direction& d) { return d.is_read ? reads_ : writes_; }

    atomic<std::uint64_t> state_{0};
    line reads_, writes_;
};

}  // namespace rota::rt
