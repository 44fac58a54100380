// Waiting for the result of async.
#include <rota/detail/future_state.hpp>
#include <rota/panic.hpp>

#include "sched/entry.hpp"
#include "sync/waiters.hpp"

namespace rota::detail {

using namespace rota::rt;

void future_await(future_base& state) {
    const runtime_entry inside;
    wait_for_opening(state.waiting, wait_reason::future_get);
}

void future_complete(future_base& state) {
    const runtime_entry inside;
    open_for_good(state.waiting);
}

void future_exited() { panic("rota: get of a future whose goroutine ended by goexit"); }

}  // namespace rota::detail
