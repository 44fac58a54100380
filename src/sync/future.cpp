// Waiting for the result of async.
#include <rota/detail/future_state.hpp>

#include "sched/entry.hpp"
#include "sync/sema.hpp"

namespace rota::detail {

using namespace rota::rt;

// The waiter counts itself and then looks at `done`; the goroutine sets `done` and then takes the
// count. Both are seq_cst on both sides: a waiter that the goroutine has not counted sees that it
// is done.
void future_await(future_base& state) {
    const runtime_entry inside;
    state.sleepers.fetch_add(1, memory_order_seq_cst);  // pairs(future.sleep)
    if (state.done.load(memory_order_seq_cst) != 0) {   // pairs(future.sleep, future.done)
        std::uint32_t counted =
            state.sleepers.load(memory_order_relaxed);  // relaxed: the exchange decides
        while (counted > 0) {
            if (state.sleepers.compare_exchange(counted, counted - 1,
                                                memory_order_relaxed,  // relaxed: a count only
                                                memory_order_relaxed)) {
                return;
            }
        }
        // Counted by the goroutine after all: what it gives must be taken.
    }
    sem_acquire(state.sema, false, wait_reason::future_get);
}

void future_complete(future_base& state) {
    const runtime_entry inside;
    state.done.store(1, memory_order_seq_cst);  // pairs(future.sleep, future.done)
    std::uint32_t sleepers =
        state.sleepers.exchange(0, memory_order_seq_cst);  // pairs(future.sleep)
    for (; sleepers > 0; --sleepers) sem_release(state.sema, false);
}

}  // namespace rota::detail
