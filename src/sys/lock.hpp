// The runtime's lock: a futex word, held for tens of nanoseconds, never across a park of its own
// holder's choice.
//
//     0 free ──lock()──► 1 held ──contender──► 2 held, sleepers ──unlock()──► 0, one sleeper woken
//
// The holder owns the word: from 1 to 0 it goes in a restartable sequence (sys/asymmetric.hpp). A
// contender that is about to sleep writes 2 and restarts the owners: a release that has not seen
// the 2 is over then, and has changed the word, so that the futex refuses to sleep.
//
// A channel's lock is taken by the goroutine that parks and released on its behalf by the context
// that its m goes on with (sched/park.hpp); the thread is the same, so ranks are kept per thread.
// Go: lock2, unlock2 (lock_futex.go).
#pragma once

#include "base/annotations.hpp"
#include "base/atomic.hpp"
#include "base/check.hpp"
#include "base/lock_rank.hpp"
#include "sys/asymmetric.hpp"
#include "sys/self.hpp"

namespace rota::rt {

class ROTA_CAPABILITY("lock") lock {
  public:
    constexpr explicit lock(lock_rank rank) : rank_(rank) {}
    lock(const lock&) = delete;
    lock& operator=(const lock&) = delete;

    void acquire() ROTA_ACQUIRE() {
        note_acquire();
        if (!word_.cas(0, 1, memory_order_acquire)) acquire_slow();  // pairs(lock.handover)
    }

    bool try_acquire() ROTA_TRY_ACQUIRE(true) {
        if (!word_.cas(0, 1, memory_order_acquire)) return false;  // pairs(lock.handover)
        note_acquire();
        return true;
    }

    void release() ROTA_RELEASE() {
        if (ROTA_UNLIKELY(!try_release())) release_slow();
    }

    // The release that needs no call, or false: release_slow() is to follow.
    bool try_release() ROTA_NO_TSA {  // a conditional release cannot be said
        note_release();
        return owner_replace(word_, 1, 0);  // pairs(lock.handover)
    }
    ROTA_COLD void release_slow() ROTA_RELEASE();

    // One more of a rank that nests, while the thread holds another one of that rank, which stands
    // for all of them in the record of held locks.
    void acquire_another() ROTA_ACQUIRE() {
        if (!word_.cas(0, 1, memory_order_acquire)) acquire_slow();  // pairs(lock.handover)
    }
    void release_another() ROTA_RELEASE() {
        if (ROTA_UNLIKELY(!owner_replace(word_, 1, 0))) release_slow();  // pairs(lock.handover)
    }

    // A hint, unless nobody can take or release it: the thread that holds it has been stopped.
    bool is_held() const { return word_.load(memory_order_relaxed) != 0; }  // relaxed: see above

  private:
    ROTA_COLD void acquire_slow();
#if defined(ROTA_DEBUG_CHECKS)
    void note_acquire() const;
    void note_release() const;
#else
    void note_acquire() const {}
    void note_release() const {}
#endif

    atomic<std::uint32_t> word_{0};
    [[maybe_unused]] const lock_rank rank_;  // checked in builds with checks
};

#if defined(ROTA_DEBUG_CHECKS)
// Whether the thread with this header may take a lock of the runtime now: not in user code, whose
// thread may be stopped for long. Set by boot/.
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
