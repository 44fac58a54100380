// The slow paths of the fd mutex: waiting for a turn, handing it on, closing.
#include "fd/fd_mutex.hpp"

#include "base/check.hpp"
#include "base/fatal.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sync/wait/sema.hpp"
#include "sys/call/clock.hpp"

namespace rota::rt {

namespace {

constexpr std::int64_t long_wait_ns = 1'000'000;

[[noreturn]] void too_many() {
    fatal("too many concurrent operations on a single file or socket (max 1048575)");
}

// A waiter that was woken in vain queues in front.
void wait_turn(sema_word& turn, bool in_front) {
    const runtime_entry inside;
    sem_acquire(turn, in_front, wait_reason::io_wait);
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

ROTA_NOINLINE bool fd_mutex::await_turn(const direction& d) {
    std::uint64_t seen = state_.load(memory_order_relaxed);  // relaxed: decided by the exchange
    std::int64_t since = 0;
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
        line& queue = line_of(d);
        const bool again = since != 0;
        if (!again) since = nanotime();
        else if (nanotime() - since > long_wait_ns)
            queue.is_late.store(true, memory_order_relaxed);  // relaxed: advice
        // The waker has taken this waiter off the count.
        wait_turn(queue.waits, again);
        // Two waiters may have been woken, the first by the end of a turn and the second by a
        // close. The first to come takes the turn; by that exchange the second sees the close.
        if (queue.handed.exchange(0, memory_order_acq_rel) != 0) return true;  // pairs(fd.handed)
        seen = state_.load(memory_order_relaxed);  // relaxed: decided by the exchange
    }
}

ROTA_NOINLINE bool fd_mutex::hand_turn_on(const direction& d) {
    line& queue = line_of(d);
    std::uint64_t seen = state_.load(memory_order_relaxed);  // relaxed: decided by the exchange
    for (;;) {
        ROTA_CHECK((seen & d.held) != 0 && (seen & references) != 0);
        const bool wakes = (seen & d.waiters) != 0;
        // relaxed: advice
        const bool hands_over = wakes && queue.is_late.load(memory_order_relaxed);
        std::uint64_t wanted = wakes ? seen - d.waiter : seen;
        if (!hands_over) wanted = (wanted & ~d.held) - reference;  // else both go with the turn
        if (!state_.compare_exchange(seen, wanted, memory_order_acq_rel,  // pairs(fd.mutex)
                                     memory_order_relaxed))               // relaxed: tried again
            continue;
        if (hands_over) {
            queue.is_late.store(false, memory_order_relaxed);  // relaxed: advice
            queue.handed.store(1, memory_order_release);       // pairs(fd.handed)
        }
        // A waiter holds no reference, but its caller does: so the object still exists.
        if (wakes) end_wait(queue.waits);
        return !hands_over && (wanted & (closed_bit | references)) == closed_bit;
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
