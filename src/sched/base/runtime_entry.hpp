// The border between user code and the runtime.
//
// Every operation that touches the scheduler holds a runtime_entry. On the way in the m says so by
// one plain store and looks whether it still has what it needs; on the way out it honours a request
// to yield. Between the two nobody takes the p away. A switch happens inside the runtime on both
// sides, so the mark stays with the m and moves with no goroutine. Go: acquirem, releasem.
//
// Not reentrant: engine functions behind a public call hold one, what they call does not.
#pragma once

#include "base/annotations.hpp"
#include "core/getg.hpp"

namespace rota::rt {

// Gives a thread that rota did not start its m, booting the runtime if need be.
ROTA_COLD m& attach_thread();
// The calling thread has no m, and has made something by which it may bring work later: until it
// enters run() or ends, the deadlock detector keeps silent.
ROTA_COLD void note_thread_use();
// A use of rota that needs no m.
inline void note_use() {
    if (ROTA_UNLIKELY(getm_or_null() == nullptr)) note_thread_use();
}
// The m has no p although it runs a goroutine, or is just losing it: it comes out of blocking()
// first, or from where its p was taken. Returns the m it is on then.
ROTA_COLD m& reenter_slow();
// Honours a request to yield.
ROTA_COLD void preempt_yield();

ROTA_ALWAYS_INLINE m& enter_runtime() {
    m* mp = getm_or_null();
    if (ROTA_UNLIKELY(mp == nullptr)) mp = &attach_thread();
    mp->in_runtime.store(1, memory_order_relaxed);  // relaxed: its reader brings the barrier
    std::atomic_signal_fence(
        std::memory_order_seq_cst);  // the compiler keeps the order, pairs(entry.mark)
    if (ROTA_UNLIKELY(mp->entry.load(memory_order_relaxed) != entry_state::clear))
        mp = &reenter_slow();
    return *mp;
}

// For operations that mostly neither call nor park: enter_runtime where that needs nothing else, or
// null, and nothing is done.
ROTA_ALWAYS_INLINE m* try_enter_runtime() {
    m* const mp = getm_or_null();
    if (ROTA_UNLIKELY(mp == nullptr)) return nullptr;
    mp->in_runtime.store(1, memory_order_relaxed);  // relaxed: its reader brings the barrier
    std::atomic_signal_fence(
        std::memory_order_seq_cst);  // the compiler keeps the order, pairs(entry.mark)
    if (ROTA_LIKELY(mp->entry.load(memory_order_relaxed) == entry_state::clear)) return mp;
    mp->in_runtime.store(0, memory_order_release);  // pairs(entry.left)
    return nullptr;
}

// Leaves by the same m. False: then call preempt_yield(), nothing else.
ROTA_ALWAYS_INLINE bool try_leave_runtime(m& mp) {
    mp.in_runtime.store(0, memory_order_release);  // pairs(entry.left)
    return ROTA_LIKELY(!mp.preempt.load(memory_order_relaxed));
}

ROTA_ALWAYS_INLINE void leave_runtime() {
    m& mp = getm();
    mp.in_runtime.store(0, memory_order_release);  // pairs(entry.left)
    if (ROTA_UNLIKELY(mp.preempt.load(memory_order_relaxed))) preempt_yield();
}

class runtime_entry {
  public:
    ROTA_ALWAYS_INLINE runtime_entry() { enter_runtime(); }
    ROTA_ALWAYS_INLINE ~runtime_entry() { leave_runtime(); }
    runtime_entry(const runtime_entry&) = delete;
    runtime_entry& operator=(const runtime_entry&) = delete;
};

// A runtime_entry for what works before the runtime is booted, and on threads that have not used
// it: there it does nothing.
class runtime_entry_if_attached {
  public:
    runtime_entry_if_attached() {
        if (getm_or_null() != nullptr) enter_runtime();
    }
    ~runtime_entry_if_attached() {
        if (getm_or_null() != nullptr) leave_runtime();
    }
    runtime_entry_if_attached(const runtime_entry_if_attached&) = delete;
    runtime_entry_if_attached& operator=(const runtime_entry_if_attached&) = delete;
};

}  // namespace rota::rt
