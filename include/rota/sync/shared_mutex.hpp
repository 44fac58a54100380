// rota::shared_mutex: many readers or one writer.
#pragma once

#include <cstdint>

#include <rota/detail/atomic.hpp>
#include <rota/sync/mutex.hpp>

namespace rota {

/// A lock that many may hold to read, or one to write, 40 bytes, for goroutines and threads; usable
/// with std::shared_lock, std::unique_lock and std::lock_guard.
///
/// Writers are not starved: as soon as one waits, new readers queue behind it. So a goroutine that
/// holds it to read must not lock it to read again. When a writer unlocks, all readers that wait
/// then go before the next writer. It belongs to no one: any goroutine may unlock it.
///
/// Readers of a lock that is seldom written count themselves on the processor they are on and do
/// not disturb each other; the first writer after many readers pays some microseconds for that.
///
/// It may be destroyed as soon as nobody holds it or waits for it; while somebody waits, that ends
/// the process with `fatal error: shared_mutex destroyed while goroutine N waits in it` and all
/// traces. Go: sync.RWMutex.
class shared_mutex {
  public:
    constexpr shared_mutex() noexcept = default;
    ~shared_mutex();
    shared_mutex(const shared_mutex&) = delete;
    shared_mutex& operator=(const shared_mutex&) = delete;

    /// Locks to write. Blocks while others hold it; the goroutine may go on on another thread. Go:
    /// Lock.
    void lock();
    /// Locks to write if that is possible without waiting. Go: TryLock.
    bool try_lock();
    /// Unlocks what was locked to write. Ends the process with `fatal error: sync: Unlock of
    /// unlocked RWMutex` if it was not. Go: Unlock.
    void unlock();

    /// Locks to read. Blocks while a writer holds it or waits for it; the goroutine may go on on
    /// another thread. Go: RLock.
    void lock_shared();
    /// Locks to read if no writer holds it or waits for it. Go: TryRLock.
    bool try_lock_shared();
    /// Unlocks what was locked to read. Ends the process with `fatal error: sync: RUnlock of
    /// unlocked RWMutex` if nobody reads; where readers count themselves by processors, the next
    /// writer finds that out. Go: RUnlock.
    void unlock_shared();

  private:
    friend struct rt::lock_view;

    bool came_here();
    bool left_here();
    void read_behind_writer();
    void reader_left();
    void wait_for_readers(std::int32_t readers);
    void let_readers_in(std::uint32_t readers);
    void spread_readers();
    void gather_readers(std::uint32_t spread);

    mutex writers_;                    // held by the writer
    atomic<std::uint32_t> spread_{0};  // where readers count themselves, 0: in state_; changed by
                                       // who holds writers_
    // bits 0..30 readers, and more where they count themselves elsewhere | bit 31 a writer holds it
    // or waits | bits 32..63 locks to read since the last writer
    atomic<std::uint64_t> state_{0};
    atomic<std::int32_t> leaving_{0};  // readers that the writer waits for
    atomic<std::uint32_t> reader_sema_{0};
    atomic<std::uint32_t> writer_sema_{0};
};

}  // namespace rota
