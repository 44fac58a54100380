// The runtime's atomic and its fences. See rota/detail/atomic.hpp for the seam.
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

// A counter with one writer: no read-modify-write is needed, and readers live with a stale value.
template <class T>
inline void bump(atomic<T>& counter, T by = 1) noexcept {
    counter.store(counter.load(memory_order_relaxed) + by, memory_order_relaxed);
}

}  // namespace rota::rt
