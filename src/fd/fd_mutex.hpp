// fd_mutex: one word that holds the users, the reader, the writer and the closed bit of a
// descriptor.
//
//     bit 0        closed
//     bit 1, 2     a call reads, writes
//     bits 3..22   references: calls under way, including the close
//     bits 23..42  goroutines that wait to read
//     bits 43..62  to write
//
// A call takes a reference. To read or write it takes a reference and the exclusive turn of that
// direction. A close sets the closed bit and sends every waiter for a turn away. From then on no
// call gets in, except a waiter that was handed a turn before: so a call with a turn checks whether
// the fd is closed. The release of the last reference, by whichever call, returns true. Only then
// may the number be given back to the kernel (kb34).
//
// A free turn goes to the first call that comes. But a caller in a loop would find it free each
// time before the woken waiter runs, and would hold it while it sleeps until the descriptor is
// ready. So the turn is handed over to a waiter that has been woken in vain and has waited for 1
// ms, as a mutex does. Go: internal/poll fdMutex, which never does.
#pragma once

#include <cstdint>

#include "base/annotations.hpp"
#include "base/atomic.hpp"
#include "base/check.hpp"

namespace rota::rt {

class fd_mutex {
  public:
    // False: it is closed. Caller of each function: not inside a runtime_entry. Reading and writing
    // park while another call reads or writes.
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
    // The bits that belong to one of the two directions.
    struct direction {
        std::uint64_t held, waiter, waiters;
        bool is_read;
    };
    // The waiters for a turn.
    struct line {
        atomic<std::uint32_t> waits{0};   // the semaphore where they sleep
        atomic<std::uint32_t> handed{0};  // a turn, with its reference, waits for a woken waiter
        // The first waiter has waited for long. relaxed: advice, which that waiter sets and the
        // hand-over clears.
        atomic<bool> is_late{false};
    };
    static constexpr std::uint64_t closed_bit = 1, reference = 8,
                                   references = ((std::uint64_t{1} << 20) - 1) << 3;
    static constexpr direction reading = {2, std::uint64_t{1} << 23,
                                          ((std::uint64_t{1} << 20) - 1) << 23, true};
    static constexpr direction writing = {4, std::uint64_t{1} << 43,
                                          ((std::uint64_t{1} << 20) - 1) << 43, false};

    // The fast path without contention, which is nearly always, is inlined into the call: a frame
    // of its own would be a further line of each stack that is far away (fd/read.cpp).
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
    // The general cases, with contention or a close.
    bool await_turn(const direction& d);
    bool hand_turn_on(const direction& d);
    line& line_of(const direction& d) { return d.is_read ? reads_ : writes_; }

    atomic<std::uint64_t> state_{0};
    line reads_, writes_;
};

}  // namespace rota::rt
