// The schedule points: where a test may decide which thread goes on.
//
// A schedule point stands before every atomic read-modify-write and every store of the core that
// publishes, between enqueueing a goroutine and switching away from it, and around system calls. In
// ordinary builds it is empty. With ROTA_MODEL each one calls `sched_point_hook`, through which a
// test perturbs the order of events, or explores it (rota/detail/explorer.hpp).
#pragma once

namespace rota::detail {

enum class point : unsigned char {
    atomic_store,       // a store that may publish
    atomic_rmw,         // a read-modify-write
    parked_not_gone,    // a g is visible to its wakers, its registers are not saved yet
    before_futex_wait,  // the thread decided to sleep
    before_futex_wake,  // the thread decided to wake another
    spinning_dropped,   // an m stopped spinning and has not looked again yet
    p_released,         // a p was given up
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
