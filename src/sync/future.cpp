// Waits for the result of async, with or without a deadline, and delivers it.
#include <rota/detail/future_state.hpp>
#include <rota/panic.hpp>

#include "sched/base/bubble.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/goroutine/destroyed.hpp"
#include "sync/wait/wait_list.hpp"
#include "sync/wait/waiters.hpp"

namespace rota::detail {

using namespace rota::rt;

void future_report_waiters(const future_base& state) {
    if (const g* const gp = find_waiter(state.waiting); ROTA_UNLIKELY(gp != nullptr))
        report_destroyed("future", gp);
    // relaxed: a value of the moment
    if (ROTA_UNLIKELY(state.has_limited.load(memory_order_relaxed)))
        report_list_waiters("future", state.limited, &state);
}

void future_await(future_base& state) {
    const runtime_entry inside;
    wait_for_opening(state.waiting, wait_reason::future_get, waits_outside_in(&state));
}

bool future_await_until(future_base& state, std::int64_t deadline) {
    if (deadline <= current_now())
        return state.waiting.load(memory_order_acquire) == open_for_all;  // pairs(waiters.open)
    const runtime_entry inside;
    lock& l = sem_lock(&state);
    waiter me;
    me.outside = waits_outside_in(&state);
    l.acquire();
    enter_list(state.limited, me);
    // The waiter announces itself, then looks for the result. The completer stores the result, then
    // looks for waiters. So the waiter sees the result, or the completer sees the waiter.
    state.has_limited.store(true, memory_order_seq_cst);             // pairs(future.limited)
    if (state.waiting.load(memory_order_seq_cst) == open_for_all) {  // pairs(future.limited)
        leave_list(state.limited, me);
        l.release();
        return true;
    }
    return sleep_in_list_until(me, l, deadline, wait_reason::future_get);
}

void future_complete(future_base& state) {
    const runtime_entry inside;
    open_for_good(state.waiting);
    if (!state.has_limited.load(memory_order_seq_cst)) return;  // pairs(future.limited)
    waiter* first = nullptr;
    {
        const lock_guard guard(sem_lock(&state));
        first = asleep_of(take_all(state.limited));
    }
    ready_chain(first);
}

void future_exited() { panic("rota: get of a future whose goroutine ended by goexit"); }

}  // namespace rota::detail
