// The schedule points: the places at which a test may decide which thread runs next.
//
// A schedule point stands before every atomic read-modify-write and every publishing store of the
// core. It also stands between enqueueing a goroutine and switching away from it, and around system
// calls. In ordinary builds it is empty. With ROTA_MODEL each point calls `sched_point_hook`.
// Through the hook a test perturbs the order of events, or explores it (rota/detail/explorer.hpp).
#pragma once

namespace rota::detail {

enum class point : unsigned char {
    atomic_store,       // a store that may publish;
    atomic_rmw,         // a read-modify-write;
    parked_not_gone,    // wakers can see the g, its registers are not saved yet;
    before_futex_wait,  // the thread has decided to sleep;
    before_futex_wake,  // the thread has decided to wake another thread;
    spinning_dropped,   // an m has stopped spinning and has not searched again yet;
    p_released,         // an m has given up its p
    count,
};

#if defined(ROTA_MODEL)
using point_function = void (*)(point);
inline constinit point_function sched_point_hook =
    nullptr;  // set by a test before the runtime boots
inline void sched_point(point id) {
    if (sched_point_hook != nullptr) sched_point_hook(id);
}
#else
constexpr void sched_point(point) noexcept {}
#endif

}  // namespace rota::detail
