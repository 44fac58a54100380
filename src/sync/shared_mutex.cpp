// Implements rota::shared_mutex, for readers and writers. Go: sync/rwmutex.go.
//
// Readers count themselves in state_, by one locked instruction each way. A writer first gets
// writers_, which keeps further writers out, then sets its bit, which keeps new readers out. It
// then waits for the readers that it has found: each subtracts one from leaving_ as it leaves, and
// the last gives the writer's semaphore. The writer may add their number late; leaving_ is below
// zero until then.
//
// After spread_after locks to read without a writer between them, readers count themselves by
// processor (sync/reader_counts.hpp), where they do not disturb each other. The gate of the column
// is spread_. `reserve` in the count of readers stands for the readers in the table: a reader that
// came in by the table may leave by state_, if its sequence is interrupted, and must not bring the
// count below zero. A writer, once it holds writers_, undoes this: it shuts the gate and restarts
// the sequences, after which no reader can count in the table, and adds the sum to state_. Its
// price, a membarrier, is at most a tenth of the cost of the reads before it.
//
// Destruction. A reader that leaves without a waiting writer, or is not the last to leave, touches
// the lock no more; for the last reader the writer waits. A writer that unlocks clears its bit and
// gives back writers_. A reader that came in between may be the last user of the lock, so the
// destructor waits until writers_ is free. The readers that the writer lets in after that cannot be
// gone before.
// until writers_ is free. The readers that it lets in after that cannot be gone before.
#include <rota/sync/shared_mutex.hpp>

#include <sched.h>

#include "base/fatal.hpp"
#include "core/getg.hpp"
#include "sched/base/park.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sync/reader_counts.hpp"
#include "sync/wait/sema.hpp"
#include "sys/call/clock.hpp"
#include "sys/thread/asymmetric.hpp"

namespace rota {

using namespace rota::rt;

namespace {

constexpr std::uint64_t one_reader = 1;
constexpr std::uint64_t readers_mask = (std::uint64_t{1} << 31) - 1;
constexpr std::uint64_t writer = std::uint64_t{1} << 31;
constexpr std::uint64_t one_lock = std::uint64_t{1} << 32;  // to read, since the last writer
constexpr std::uint64_t reserve = std::uint64_t{1} << 30;
#if defined(ROTA_MODEL)
constexpr std::uint64_t spread_after = 2;
constexpr int transit_tries = 2;
#else
constexpr std::uint64_t spread_after = 4096;  // some 40 µs of locking; gathering costs 2 to 4
constexpr int transit_tries = 100;
#endif

void give_way() {
    const runtime_entry inside;
    if (getm().curg->is_thread) ::sched_yield();
    else gosched_yield();
}

[[noreturn]] ROTA_COLD void fatal_runlock() { fatal("sync: RUnlock of unlocked RWMutex"); }

}  // namespace

// Counts an arriving, or leaving, reader by its processor. False: it counts in state_.
ROTA_ALWAYS_INLINE bool shared_mutex::came_here() {
    const std::uint32_t column = spread_.load(std::memory_order_acquire);  // pairs(rwmutex.spread)
    return column != 0 && count_reader(spread_, column, readers.count[0][column - 1].came);
}

ROTA_ALWAYS_INLINE bool shared_mutex::left_here() {
    const std::uint32_t column = spread_.load(std::memory_order_acquire);  // pairs(rwmutex.spread)
    return column != 0 && count_reader(spread_, column, readers.count[0][column - 1].left);
}

void shared_mutex::lock_shared() {
    if (came_here()) return;
    const std::uint64_t seen = state_.fetch_add(
        one_reader + one_lock, std::memory_order_acquire);  // pairs(rwmutex.handover)
    if (ROTA_UNLIKELY((seen & writer) != 0)) return read_behind_writer();
    if (ROTA_UNLIKELY(seen / one_lock >= spread_after)) spread_readers();
}

bool shared_mutex::try_lock_shared() {
    if (came_here()) return true;
    std::uint64_t seen =
        state_.load(std::memory_order_relaxed);  // relaxed: the exchange synchronises
    while ((seen & writer) == 0) {
        if (state_.compare_exchange(seen, seen + one_reader + one_lock,
                                    std::memory_order_acquire,     // pairs(rwmutex.handover)
                                    std::memory_order_relaxed)) {  // relaxed: tried again
            if (seen / one_lock >= spread_after) spread_readers();
            return true;
        }
    }
    return false;
}

void shared_mutex::unlock_shared() {
    if (left_here()) return;
    const std::uint64_t seen =
        state_.fetch_sub(one_reader, std::memory_order_release);  // pairs(rwmutex.handover)
    if (ROTA_UNLIKELY((seen & readers_mask) == 0)) fatal_runlock();
    if (ROTA_UNLIKELY((seen & writer) != 0)) reader_left();
}

// The reader is counted already: the writer that unlocks lets it in.
void shared_mutex::read_behind_writer() {
    const runtime_entry inside;
    const std::int64_t since = nanotime();
    sem_acquire(reader_sema_, false, wait_reason::rwmutex_rlock);
    count_lock_wait(nanotime() - since);
}

void shared_mutex::reader_left() {
    if (leaving_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;  // pairs(rwmutex.leaving)
    const runtime_entry inside;
    sem_release(writer_sema_, false);
}

void shared_mutex::lock() {
    writers_.lock();
    // relaxed: it is changed under writers_ only
    if (const std::uint32_t spread = spread_.load(std::memory_order_relaxed))
        gather_readers(spread);
    const std::uint64_t seen =
        state_.fetch_or(writer, std::memory_order_acquire);  // pairs(rwmutex.handover)
    if ((seen & readers_mask) != 0)
        wait_for_readers(static_cast<std::int32_t>(seen & readers_mask));
}

void shared_mutex::wait_for_readers(std::int32_t readers_inside) {
    const std::int32_t left =
        leaving_.fetch_add(readers_inside, std::memory_order_acq_rel) +  // pairs(rwmutex.leaving)
        readers_inside;
    if (left == 0) return;
    const runtime_entry inside;
    const std::int64_t since = nanotime();
    sem_acquire(writer_sema_, false, wait_reason::rwmutex_lock);
    count_lock_wait(nanotime() - since);
}

bool shared_mutex::try_lock() {
    for (int i = 0; !writers_.try_lock(); ++i) {
        // relaxed: a guess. If there is neither a writer's bit nor a reader, a writer is about to
        // set its bit, or has just cleared it.
        const std::uint64_t seen = state_.load(std::memory_order_relaxed);
        if ((seen & (readers_mask | writer)) != 0 || i == transit_tries) return false;
        give_way();
    }
    // relaxed: it is changed under writers_ only
    if (const std::uint32_t spread = spread_.load(std::memory_order_relaxed))
        gather_readers(spread);
    std::uint64_t seen =
        state_.load(std::memory_order_relaxed);  // relaxed: the exchange synchronises
    while ((seen & readers_mask) == 0) {
        if (state_.compare_exchange(seen, seen | writer,
                                    std::memory_order_acquire,   // pairs(rwmutex.handover)
                                    std::memory_order_relaxed))  // relaxed: tried again
            return true;
    }
    writers_.unlock();
    return false;
}

void shared_mutex::unlock() {
    const std::uint64_t seen =
        state_.fetch_and(readers_mask, std::memory_order_release);  // pairs(rwmutex.handover)
    if (ROTA_UNLIKELY((seen & writer) == 0)) fatal("sync: Unlock of unlocked RWMutex");
    if ((seen & readers_mask) != 0) let_readers_in(static_cast<std::uint32_t>(seen & readers_mask));
    writers_.unlock();
}

void shared_mutex::let_readers_in(std::uint32_t waiting) {
    const runtime_entry inside;
    for (; waiting > 0; --waiting) sem_release(reader_sema_, false);
}

// Caller: a reader that holds the lock, counted in state_. Later readers count themselves by
// processor.
ROTA_COLD void shared_mutex::spread_readers() {
    if (!writers_.try_lock()) return;  // a writer comes
    // relaxed: it is changed under writers_ only
    const bool already = spread_.load(std::memory_order_relaxed) != 0;
    const std::uint32_t column = already ? 0 : reader_column_get();
    if (column != 0) {
        state_.fetch_add(reserve, std::memory_order_relaxed);  // relaxed: the gate publishes it
        spread_.store(column, std::memory_order_release);      // pairs(rwmutex.spread)
    }
    // If it failed, it is tried again after as many further readers.
    state_.fetch_and(one_lock - 1, std::memory_order_relaxed);  // relaxed: hands over nothing
    writers_.unlock();
}

// Caller: holds writers_. Afterwards every reader is counted in state_.
ROTA_COLD void shared_mutex::gather_readers(std::uint32_t spread) {
    spread_.exchange(0, std::memory_order_seq_cst);  // pairs(rwmutex.spread)
    restart_owners();
    const std::int64_t counted = reader_column_put(spread);
    const std::int64_t change = counted - static_cast<std::int64_t>(reserve);
    // relaxed: the restart has ordered what the readers did before this
    const std::uint64_t seen = state_.fetch_add(change, std::memory_order_relaxed);
    if (static_cast<std::int64_t>(seen & readers_mask) + change < 0) fatal_runlock();
}

shared_mutex::~shared_mutex() {
    // relaxed: no other thread uses the lock any more. A reader waits for a writer, a writer for
    // either.
    if ((state_.load(std::memory_order_relaxed) & writer) != 0) {
        sem_report_waiters("shared_mutex", &reader_sema_);
        sem_report_waiters("shared_mutex", &writer_sema_);
    }
    if (writers_.has_waiters()) writers_.report_waiters("shared_mutex");
    // relaxed: no other thread uses the lock any more
    const std::uint32_t spread = spread_.load(std::memory_order_relaxed);
    if (spread != 0) (void)reader_column_put(spread);
    // A static lock may be destroyed while goroutines hold it that will never run again.
    if ((state_.load(std::memory_order_relaxed) & writer) == 0 && !writers_.try_lock() &&
        !sched.exiting.load(std::memory_order_relaxed))
        writers_.lock();
}

}  // namespace rota
