// The contended path of the lock, and the check of lock ranks.
#include "sys/thread/lock.hpp"

#include "arch/context.hpp"
#include "sys/call/futex.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

// Held by a thread that ends the bias of a lock, for some microseconds.
constinit lock one_revoker{lock_rank::revoke};

}  // namespace

// The word is a bias: the lock is free, or a revocation is under way. It becomes `held`, 1 or 2.
// False: the caller reads the word again.
bool lock::acquire_biased(std::uint32_t word, std::uint32_t held) {
    // pairs(lock.handover)
    if (word == own_bias()) return word_.cas(word, held, memory_order_acquire);
    const lock_guard guard(one_revoker);
    // No other thread revokes, so the word may be another bias by now, but not `revoking`.
    // pairs(lock.handover)
    if (word == revoking || !word_.cas(word, revoking, memory_order_acquire)) return false;
    restart_owners();
    // relaxed: no thread has held the lock since
    if (!word_.cas(revoking, held, memory_order_relaxed)) return false;
    free_ = 0;
    return true;
}

// The holder keeps the lock for some ten nanoseconds: reads the word again before the kernel is
// asked. On one processor the holder cannot be running, so there is nothing to spin for.
bool lock::acquire_spinning(spin s, std::uint32_t held) {
    for (int i = 0; i < s.looks && processor_count() > 1; ++i) {
        const std::uint32_t word = word_.load(memory_order_relaxed);  // relaxed: only a hint
        if (is_bias(word)) break;
        procyield(s.pauses);
        if (word_.load(memory_order_relaxed) == 0 &&  // relaxed: only a hint for the exchange
            word_.cas(0, held, memory_order_acquire))
            return true;  // pairs(lock.handover)
    }
    return false;
}

void lock::acquire_slow(spin before) {
    if (acquire_spinning(before, 1)) return;
    // A thread that has slept takes the lock with a 2, for threads that may sleep still.
    for (std::uint32_t held = 1;; held = 2) {
        const std::uint32_t word = word_.load(memory_order_relaxed);  // relaxed: only a hint
        if (is_bias(word)) {
            if (acquire_biased(word, held)) return;
            continue;
        }
        // pairs(lock.handover)
        if (word != 2 && !word_.cas(word, 2, memory_order_acquire)) continue;
        if (word == 0) return;
        restart_owners();
        (void)futex_wait(word_, 2, no_deadline);
        // Spinning threads may take it: a woken thread must not lose against them for ever.
        if (acquire_spinning(short_spin, 2)) return;
    }
}

void lock::release_slow() ROTA_NO_TSA {  // the whole state of a lock is its word
    free_ = 0;
    if (word_.exchange(0, memory_order_release) == 2) futex_wake(word_, 1);  // pairs(lock.handover)
}

#if defined(ROTA_DEBUG_CHECKS)
void lock::note_acquire() const {
    self_header* me = self();
    if (me == nullptr) return;  // the thread is only attaching itself
    ROTA_CHECK(may_lock_here == nullptr || may_lock_here(*me));
    for (std::uint32_t i = 0; i < me->held_count; ++i) {
        ROTA_CHECK(me->held_at[i] != this);
        ROTA_CHECK(me->held[i] < rank_ || (me->held[i] == rank_ && rank_nests(rank_)));
    }
    ROTA_CHECK(me->held_count < self_header::held_max);
    me->held[me->held_count] = rank_;
    me->held_at[me->held_count++] = this;
}

void lock::note_release() const {
    self_header* me = self();
    if (me == nullptr) return;
    for (std::uint32_t i = me->held_count; i-- > 0;) {
        if (me->held_at[i] != this) continue;
        --me->held_count;
        me->held[i] = me->held[me->held_count];
        me->held_at[i] = me->held_at[me->held_count];
        return;
    }
}

bool holds_no_lock() {
    const self_header* me = self();
    return me == nullptr || me->held_count == 0;
}
#else
bool holds_no_lock() { return true; }
#endif

}  // namespace rota::rt
