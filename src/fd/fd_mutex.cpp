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
        wait_turn(sema_of(d));
        seen = state_.load(memory_order_relaxed);  // relaxed: as above; who woke us took us off
    }
}

bool fd_mutex::release_turn(const direction& d) {
    std::uint64_t seen = state_.load(memory_order_relaxed);  // relaxed: decided by the exchange
    for (;;) {
        ROTA_CHECK((seen & d.held) != 0 && (seen & references) != 0);
        const bool wakes = (seen & d.waiters) != 0;
        const std::uint64_t wanted = (seen & ~d.held) - reference - (wakes ? d.waiter : 0);
        if (!state_.compare_exchange(seen, wanted, memory_order_acq_rel,  // pairs(fd.mutex)
                                     memory_order_relaxed))               // relaxed: tried again
            continue;
        // One who waits holds no reference, but its caller does: the object is there still.
        if (wakes) end_wait(sema_of(d));
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
                end_wait(sema_of(*d));
        }
        return true;
    }
}

}  // namespace rota::rt
