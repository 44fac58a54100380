// The runtime's atomic and its fences; rota/detail/atomic.hpp describes the seam.
#pragma once

#include <rota/detail/atomic.hpp>

namespace rota::rt {

using detail::point;
using detail::sched_point;
using rota::atomic;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

// Orders stores before it against loads after it: no processor sees the loads first.
inline void full_fence() noexcept {
#if defined(ROTA_MODEL)
    if (detail::explored != nullptr)
        return detail::explored->fence(memory_order_seq_cst);  // pairs(fence)
#endif
    sched_point(point::atomic_rmw);
#if defined(__SANITIZE_THREAD__)
    // gcc's tsan knows no fences. On every processor that tsan supports, this exchange is a fence.
    std::atomic<int> own{0};
    own.exchange(1, std::memory_order_seq_cst);  // pairs(fence)
#else
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs(fence)
#endif
}

// A counter with one writer: it needs no read-modify-write, and readers accept a stale value.
template <class T>
inline void bump(atomic<T>& counter, T by = 1) noexcept {
    counter.store(counter.load(memory_order_relaxed) + by, memory_order_relaxed);
}

}  // namespace rota::rt
