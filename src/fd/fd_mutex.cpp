// The transitions.
#include "fd/fd_mutex.hpp"

#include "base/check.hpp"
#include "base/fatal.hpp"
#include "sched/entry.hpp"
#include "sync/sema.hpp"

namespace rota::rt {

namespace {

[[noreturn]] void too_many() {
    fatal("too many concurrent operations on a single file or socket (max 1048575)");
}

void wait_turn(sema_word& turn) {
    const runtime_entry inside;
    sem_acquire(turn, false, wait_reason::io_wait);
}

void end_wait(sema_word& turn) {
    const runtime_entry inside;
    sem_release(turn, false);
}

}  // namespace

bool fd_mutex::acquire() {
    std::uint64_t seen = state_.load(memory_order_relaxed);  // relaxed: decided by the exchange
    for (;;) {
        if ((seen & closed_bit) != 0) return false;
        if ((seen & references) == references) too_many();
        if (state_.compare_exchange(seen, seen + reference,
                                    memory_order_acquire,     // pairs(fd.mutex)
                                    memory_order_relaxed)) {  // relaxed: tried again
            return true;
        }
    }
}

bool fd_mutex::release() {
    const std::uint64_t was = state_.fetch_sub(reference, memory_order_acq_rel);  // pairs(fd.mutex)
    ROTA_CHECK((was & references) != 0);
    return (was & (closed_bit | references)) == (closed_bit | reference);
}

bool fd_mutex::acquire_turn(const direction& d) {
    std::uint64_t seen = state_.load(memory_order_relaxed);  // relaxed: decided by the exchange
    for (;;) {
        if ((seen & closed_bit) != 0) return false;
        const bool is_free = (seen & d.held) == 0;
        if (is_free && (seen & references) == references) too_many();
        if (!is_free && (seen & d.waiters) == d.waiters) too_many();
        const std::uint64_t wanted = is_free ? (seen | d.held) + reference : seen + d.waiter;
        if (!state_.compare_exchange(seen, wanted, memory_order_acquire,  // pairs(fd.mutex)
                                     memory_order_relaxed))               // relaxed: tried again
            continue;
        if (is_free) return true;
        // Who wakes us has taken us off the count: one that has had its turn, or one that closes.
        line& queue = line_of(d);
        wait_turn(queue.waits);
        if (queue.handed.exchange(0, memory_order_acquire) != 0) return true;  // pairs(fd.handed)
        ROTA_CHECK(is_closed());
        return false;
    }
}

bool fd_mutex::release_turn(const direction& d) {
    std::uint64_t seen = state_.load(memory_order_relaxed);  // relaxed: decided by the exchange
    for (;;) {
        ROTA_CHECK((seen & d.held) != 0 && (seen & references) != 0);
        const bool hands_over = (seen & d.waiters) != 0;  // with the reference
        const std::uint64_t wanted = hands_over ? seen - d.waiter : (seen & ~d.held) - reference;
        if (!state_.compare_exchange(seen, wanted, memory_order_acq_rel,  // pairs(fd.mutex)
                                     memory_order_relaxed))               // relaxed: tried again
            continue;
        if (hands_over) {
            // One who waits holds no reference, but its caller does: the object is there still.
            line& queue = line_of(d);
            queue.handed.store(1, memory_order_release);  // pairs(fd.handed)
            end_wait(queue.waits);
            return false;
        }
        return (wanted & (closed_bit | references)) == closed_bit;
    }
}

bool fd_mutex::close() {
    std::uint64_t seen = state_.load(memory_order_relaxed);  // relaxed: decided by the exchange
    for (;;) {
        if ((seen & closed_bit) != 0) return false;
        if ((seen & references) == references) too_many();
        const std::uint64_t wanted =
            ((seen | closed_bit) + reference) & ~(reading.waiters | writing.waiters);
        if (!state_.compare_exchange(seen, wanted, memory_order_acq_rel,  // pairs(fd.mutex)
                                     memory_order_relaxed))               // relaxed: tried again
            continue;
        for (const direction* d : {&reading, &writing}) {
            for (std::uint64_t n = (seen & d->waiters) / d->waiter; n > 0; --n)
                end_wait(line_of(*d).waits);
        }
        return true;
    }
}

}  // namespace rota::rt
