// The contended half of the lock, and the rank check.
#include "sys/lock.hpp"

#include "arch/context.hpp"
#include "sys/futex.hpp"
#include "sys/thread.hpp"

namespace rota::rt {

void lock::acquire_slow() {
    // The holder is at work for some ten nanoseconds: look again before asking the kernel. On one
    // processor it cannot be at work, so there is nothing to spin for.
    constexpr int rounds = 8, pauses = 20;
    for (int i = 0; i < rounds && processor_count() > 1; ++i) {
        procyield(pauses);
        if (word_.load(memory_order_relaxed) == 0 &&  // relaxed: only a hint for the exchange
            word_.cas(0, 1, memory_order_acquire))
            return;  // pairs(lock.handover)
    }
    while (word_.exchange(2, memory_order_acquire) != 0) {  // pairs(lock.handover)
        restart_owners();
        (void)futex_wait(word_, 2, no_deadline);
    }
}

void lock::release_slow() ROTA_NO_TSA {  // the word is all that there is of a lock
    if (word_.exchange(0, memory_order_release) == 2) futex_wake(word_, 1);  // pairs(lock.handover)
}

#if defined(ROTA_DEBUG_CHECKS)
void lock::note_acquire() const {
    self_header* me = self();
    if (me == nullptr) return;  // a thread that is only just attaching itself
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
