// Synchronisation that is cheap on one side and expensive on the other. The cheap side runs
// millions of times a second; the expensive side runs when a thread contends, steals or goes to
// sleep.
//
// Fences. Where two sides each store and then load what the opposite side stores, both need a full
// fence in between. light_fence() only keeps the compiler's order. heavy_fence() makes the kernel
// run a full fence on every processor that runs a thread of this process: either the light side's
// store is visible, or its load comes after the heavy side's store.
//
// Owner's operations. A word that one side owns for the moment (a held lock, a p's runnext) is
// changed by its owner in a restartable sequence instead of a locked instruction. The opposite side
//   1. writes, by a locked instruction, a value that makes every later sequence fail its
//   comparison,
//   2. calls restart_owners(): sequences that had compared before are over or begin anew,
//   3. reads the word again: no sequence that has not seen step 1 is under way any more.
//
// Where the kernel or the C library has no such means, or the sanitizers must see each access,
// light fences are full ones and owners use locked instructions. Boot switches the means on once:
// first the heavy side, then a fence everywhere, then the light side. So no light side ever meets a
// heavy side that does not know of it.
#pragma once

#include <cstddef>

#include "arch/rseq.hpp"
#include "base/annotations.hpp"
#include "base/atomic.hpp"

namespace rota::rt {

struct asymmetric_t {
    atomic<bool> heavy{false};    // heavy_fence asks the kernel
    atomic<bool> light{false};    // light fences are the compiler's only
    atomic<bool> restart{false};  // restart_owners asks the kernel
    // Where a thread's area for restartable sequences lies, from its thread pointer; 0: owners use
    // locked instructions.
    atomic<std::ptrdiff_t> owner{0};
};
inline constinit asymmetric_t asymmetric;

// Boot: uses what the kernel and the C library have. Returns 0, or the errno value with which the
// kernel has refused membarrier.
[[nodiscard]] int asymmetric_init();

// The light side's fence between its store and its load; pairs with heavy_fence.
ROTA_ALWAYS_INLINE void light_fence() {
    if (ROTA_LIKELY(asymmetric.light.load(memory_order_relaxed)))  // relaxed: see asymmetric_init
        std::atomic_signal_fence(std::memory_order_seq_cst);       // pairs(fence)
    else full_fence();
}

void heavy_fence();
void restart_owners();

// From some moment on owners use locked instructions, as on a kernel without sequences, so that
// every release of a lock can be seen. Owners are restarted as before: sequences may be under way.
inline void stop_owners_sequences() {
    asymmetric.owner.store(0, memory_order_relaxed);  // relaxed: either way is right for both
}

// Caller: the owner of `word`. Changes `from` to `to`, as a release, in a restartable sequence.
// False: the word was not `from`, the sequence was interrupted, or owners use locked instructions.
ROTA_ALWAYS_INLINE bool owner_replace_restartable([[maybe_unused]] atomic<std::uint32_t>& word,
                                                  [[maybe_unused]] std::uint32_t from,
                                                  [[maybe_unused]] std::uint32_t to) {
#if ROTA_RSEQ
    const std::ptrdiff_t area = asymmetric.owner.load(memory_order_relaxed);  // relaxed: as above
    return ROTA_LIKELY(area != 0) && ROTA_LIKELY(rseq_replace(area, &word, from, to));
#else
    return false;
#endif
}

// Caller: the owner of `word`. Changes `from` to `to`, as a release. False: the word was not
// `from`.
ROTA_ALWAYS_INLINE bool owner_replace(atomic<std::uint32_t>& word, std::uint32_t from,
                                      std::uint32_t to) {
    if (owner_replace_restartable(word, from, to)) return true;
    // relaxed: most failures mean that the word was not `from`, which needs no locked instruction
    // to see
    return word.load(memory_order_relaxed) == from &&
           word.cas(from, to, memory_order_release);  // pairs(lock.handover, mutex.handover)
}

// Caller: the owner of `word` while `gate` is 0. Else a locked instruction: an acq_rel exchange.
template <class T>
ROTA_ALWAYS_INLINE T* owner_exchange([[maybe_unused]] const atomic<std::uint32_t>& gate,
                                     atomic<T*>& word, T* desired) {
#if ROTA_RSEQ
    void* old = nullptr;
    const std::ptrdiff_t area = asymmetric.owner.load(memory_order_relaxed);  // relaxed: as above
    if (ROTA_LIKELY(area != 0) && ROTA_LIKELY(rseq_exchange(area, &gate, &word, desired, old)))
        return static_cast<T*>(old);
#endif
    return word.exchange(desired, memory_order_acq_rel);  // pairs(runq.next)
}

}  // namespace rota::rt
