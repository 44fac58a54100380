// The runtime's lock: a futex word. Held for tens of nanoseconds, never across a park that its
// holder chooses.
//
//     0 free ──acquire──► 1 held ──contender──► 2 held, sleepers ──release──► 0, one sleeper woken
//
// The holder owns the word: it takes it from 1 to 0 in a restartable sequence
// (sys/thread/asymmetric.hpp). A contender that is about to sleep writes 2 and restarts the owners.
// A release that has not seen the 2 is over then, and has changed the word, so that the futex
// refuses to sleep.
//
// A lock that a single p has taken for long is biased to that p. Its releases then write the p's
// bias instead of 0. The thread that holds that p owns the free word too, and takes the lock in a
// sequence.
//
//     1 held ──release──► bias, free ──acquire, by the p's holder──► 1 held
//                         bias, free ──by another──► revoking ──► 1 held, biased no longer
//                                                    revoking ──the p's own was under way──► 1 held
//
// One thread at a time revokes. It writes `revoking`, by a locked instruction; no sequence and no
// contender replaces that word, except an acquisition that has compared before. It restarts the
// owners, so that no such acquisition is left, and has the lock if the word is still `revoking`.
// Contenders and release_slow() end the bias as well: a word of 0 belongs to no p.
//
// A goroutine that parks takes a channel's lock, and the context that its m goes on with releases
// it on its behalf (sched/base/park.hpp). The thread is the same, so ranks are kept per thread.
// Go: lock2, unlock2 (lock_futex.go).
#pragma once

#include "arch/prefetch.hpp"
#include "base/annotations.hpp"
#include "base/atomic.hpp"
#include "base/check.hpp"
#include "base/lock_rank.hpp"
#include "sys/thread/asymmetric.hpp"
#include "sys/thread/self.hpp"

namespace rota::rt {

class ROTA_CAPABILITY("lock") lock {
  public:
    constexpr explicit lock(lock_rank rank) : rank_(rank) {}
    lock(const lock&) = delete;
    lock& operator=(const lock&) = delete;

    void acquire() ROTA_ACQUIRE() {
        note_acquire();
        // pairs(lock.handover)
        if (!word_.cas(0, 1, memory_order_acquire)) acquire_slow(short_spin);
    }

    bool try_acquire() ROTA_TRY_ACQUIRE(true) {
        if (!word_.cas(0, 1, memory_order_acquire)) return false;  // pairs(lock.handover)
        note_acquire();
        return true;
    }

    // The same for locks that may be biased. `mine`: the thread's self_header::bias.
    void acquire_by(std::uint32_t mine) ROTA_ACQUIRE() {
        note_acquire();
        if (!take_by(mine)) acquire_slow(long_spin);
    }
    bool try_acquire_by(std::uint32_t mine) ROTA_TRY_ACQUIRE(true) {
        if (!take_by(mine)) return false;
        note_acquire();
        return true;
    }

    // From the next release on, unless a thread waits, the lock is biased to the p that the caller
    // holds. False: the caller holds no p, or owners use locked instructions.
    bool bias_to(std::uint32_t mine) ROTA_REQUIRES(this) {
        // relaxed: a later value makes no difference, see stop_owners_sequences
        if (mine == no_bias || !asymmetric.owner.load(memory_order_relaxed)) return false;
        free_ = mine;
        return true;
    }
    bool is_biased() const ROTA_REQUIRES(this) { return free_ != 0; }
    bool is_biased_to(std::uint32_t mine) const ROTA_REQUIRES(this) { return free_ == mine; }

    void release() ROTA_RELEASE() {
        if (ROTA_UNLIKELY(!try_release())) release_slow();
    }

    // The release that needs no call. False: the caller goes on with release_slow().
    bool try_release() ROTA_NO_TSA {  // the analysis knows no conditional release
        note_release();
        return owner_replace(word_, 1, free_);  // pairs(lock.handover)
    }
    ROTA_COLD void release_slow() ROTA_RELEASE();

    // Takes a second lock of a rank that nests, while the thread holds a lock of that rank; that
    // first lock stands for both in the record of held locks.
    void acquire_another_by(std::uint32_t mine) ROTA_ACQUIRE() {
        if (!take_by(mine)) acquire_slow(long_spin);
    }
    void release_another() ROTA_RELEASE() {
        if (ROTA_UNLIKELY(!owner_replace(word_, 1, free_))) release_slow();  // pairs(lock.handover)
    }

    // A hint, unless no thread can take or release it: the thread that holds it is stopped.
    bool is_held() const {
        const std::uint32_t word = word_.load(memory_order_relaxed);  // relaxed: see above
        return word == 1 || word == 2 || word == revoking;
    }

  private:
    static constexpr std::uint32_t revoking = no_bias - 1;
    static bool is_bias(std::uint32_t word) { return word >= bias_of_p(0); }

    bool take_by(std::uint32_t mine) {
        // Otherwise the cache line would come from another processor twice, for the load and the
        // write.
        prefetch_to_write(&word_);
        // relaxed: the last release was by a thread that held the caller's p
        if (word_.load(memory_order_relaxed) == mine)
            return owner_replace_restartable(word_, mine, 1) ||
                   word_.cas(mine, 1, memory_order_acquire);  // pairs(lock.handover)
        return word_.cas(0, 1, memory_order_acquire);         // pairs(lock.handover)
    }

    // How a contender spins before it asks the kernel.
    struct spin {
        int looks, pauses;
    };
    static constexpr spin short_spin{8, 20};
    // The users of a channel take its lock again and again, and a sleep costs both processors some
    // 10 us: the fewer loads, the less of that time goes into moving the cache line.
    static constexpr spin long_spin{16, 40};

    ROTA_COLD void acquire_slow(spin before);
    bool acquire_spinning(spin s, std::uint32_t held);
    bool acquire_biased(std::uint32_t word, std::uint32_t held);
#if defined(ROTA_DEBUG_CHECKS)
    void note_acquire() const;
    void note_release() const;
#else
    void note_acquire() const {}
    void note_release() const {}
#endif

    atomic<std::uint32_t> word_{0};
    std::uint32_t free_ = 0;  // what a release writes, 0 or a bias; guarded by the lock itself
    [[maybe_unused]] const lock_rank rank_;  // checked in builds with checks
};

#if defined(ROTA_DEBUG_CHECKS)
// Whether the thread with this header may take a lock of the runtime now. Not in user code, whose
// thread may be stopped for long. Writer: boot/.
using lock_place_check = bool (*)(const self_header& me);
inline constinit lock_place_check may_lock_here = nullptr;
#endif

// True if this thread holds no runtime lock; always true where ranks are not kept.
bool holds_no_lock();

class ROTA_SCOPED_CAPABILITY lock_guard {
  public:
    explicit lock_guard(lock& l) ROTA_ACQUIRE(l) : l_(l) { l_.acquire(); }
    ~lock_guard() ROTA_RELEASE() { l_.release(); }
    lock_guard(const lock_guard&) = delete;
    lock_guard& operator=(const lock_guard&) = delete;

  private:
    lock& l_;
};

}  // namespace rota::rt
