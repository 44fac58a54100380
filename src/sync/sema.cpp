// Acquire and release.
//
// The lost wake-up that must not happen: the releaser adds to the word and then reads `waiters`;
// the waiter adds itself to `waiters` and then reads the word. Both are seq_cst on both sides, so
// one of them sees the other.
#include "sync/sema.hpp"

#include "core/getg.hpp"
#include "sched/park.hpp"
#include "sync/sema_root.hpp"

namespace rota::rt {

namespace {

constexpr std::size_t root_count = 251;  // a prime: addresses have regular low bits
constinit sema_root roots[root_count];

sema_root& root_of(const void* address) {
    return roots[(reinterpret_cast<std::uintptr_t>(address) >> 3) % root_count];
}

bool try_take(sema_word& word) {
    std::uint32_t v = word.load(memory_order_seq_cst);  // pairs(sema.wait)
    while (v > 0) {
        if (word.compare_exchange(v, v - 1, memory_order_acquire, memory_order_seq_cst))
            return true;  // pairs(sema.wait)
    }
    return false;
}

}  // namespace

void sem_acquire(sema_word& word, bool lifo, wait_reason why) {
    if (try_take(word)) return;
    sema_root& root = root_of(&word);
    sudog me;
    for (;;) {
        me.gp = getm().curg;
        me.success = false;
        const auto ticket = static_cast<std::uint32_t>(getm().rand.next());
        root.mu.acquire();
        root.waiters.fetch_add(1, memory_order_seq_cst);  // pairs(sema.wait)
        if (try_take(word)) {
            root.waiters.fetch_sub(
                1, memory_order_relaxed);  // relaxed: one too many costs a lock, no wake-up
            root.mu.release();
            return;
        }
        root.queue(&word, me, lifo, ticket);
        gopark_unlock(root.mu, why);
        if (me.success || try_take(word)) return;  // success: the releaser took it for us
    }
}

void sem_release(sema_word& word, bool handoff) {
    sema_root& root = root_of(&word);
    word.fetch_add(1, memory_order_seq_cst);                   // pairs(sema.wait)
    if (root.waiters.load(memory_order_seq_cst) == 0) return;  // pairs(sema.wait)
    // A waiter that never slept may have taken the count and destroyed the object by now: its
    // address is only a key.
    sudog* s = nullptr;
    {
        const lock_guard guard(root.mu);
        s = root.dequeue(&word);
        if (s != nullptr) root.waiters.fetch_sub(1, memory_order_relaxed);  // relaxed: as above
    }
    if (s == nullptr) return;
    // s waits still, so the object lives until it is readied.
    const bool given = handoff && try_take(word);
    s->success = given;
    goready(*s->gp);
    if (given) goyield();
}

}  // namespace rota::rt
