// rota::shared_mutex: many readers or one writer.
#pragma once

#include <cstdint>

#include <rota/detail/atomic.hpp>
#include <rota/sync/mutex.hpp>

namespace rota {

/// A lock that many readers or one writer may hold, 40 bytes, for goroutines and threads; usable
/// with std::shared_lock, std::unique_lock and std::lock_guard.
///
/// Writers are not starved: as soon as a writer waits, new readers queue behind it. So a goroutine
/// that holds the lock to read must not lock it to read again. When a writer unlocks, every waiting
/// reader gets the lock before the next writer. It has no owner: any goroutine may unlock it.
///
/// Readers of a lock that is seldom written count themselves on the processor they are on and do
/// not disturb each other. The first writer after many readers pays some microseconds for that.
///
/// It may be destroyed as soon as it is neither held nor waited for. Destruction while a goroutine
/// waits ends the process with `fatal error: shared_mutex destroyed while goroutine N waits in it`
/// and traces of every goroutine. Go: sync.RWMutex.
class shared_mutex {
  public:
    constexpr shared_mutex() noexcept = default;
    ~shared_mutex();
    shared_mutex(const shared_mutex&) = delete;
    shared_mutex& operator=(const shared_mutex&) = delete;

    /// Locks to write. Blocks while a writer or readers hold it; the goroutine may continue on
    /// another thread. Go: Lock.
    void lock();
    /// Locks to write if it can without waiting. Go: TryLock.
    bool try_lock();
    /// Unlocks a lock that is held to write. Ends the process with `fatal error: sync: Unlock of
    /// unlocked RWMutex` if it is not. Go: Unlock.
    void unlock();

    /// Locks to read. Blocks while a writer holds it or waits for it; the goroutine may continue on
    /// another thread. Go: RLock.
    void lock_shared();
    /// Locks to read if no writer holds it or waits for it. Go: TryRLock.
    bool try_lock_shared();
    /// Unlocks a lock that is held to read. Ends the process with `fatal error: sync: RUnlock of
    /// unlocked RWMutex` if no reader holds it. Where readers count themselves by processors, the
    /// next writer detects that. Go: RUnlock.
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
    atomic<std::uint32_t> spread_{0};  // index of the readers' counters, 0: they count in state_;
                                       // changed by the holder of writers_
    // bits 0..30 readers, plus a reserve for readers counted elsewhere | bit 31 a writer holds it
    // or waits | bits 32..63 locks to read since the last writer
    atomic<std::uint64_t> state_{0};
    atomic<std::int32_t> leaving_{0};  // readers that the writer waits for
    atomic<std::uint32_t> reader_sema_{0};
    atomic<std::uint32_t> writer_sema_{0};
};

}  // namespace rota
