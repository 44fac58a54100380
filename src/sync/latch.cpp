// Handles the last count down of a latch, and waits for it. The opening of the word is the last
// touch of the latch, and the waiters test that word, so a goroutine that has waited may destroy
// it.
#include <rota/sync/latch.hpp>

#include <rota/panic.hpp>

#include "sched/base/bubble.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/goroutine/destroyed.hpp"
#include "sync/wait/waiters.hpp"

namespace rota {

using namespace rota::rt;

static_assert(open_for_all == ~std::uintptr_t{0}, "latch.hpp looks at the word itself");

ROTA_COLD void latch::report_waiters() const { report_destroyed("latch", find_waiter(waiting_)); }

void latch::settle(std::ptrdiff_t left, std::ptrdiff_t n) {
    if (left < 0 || n < 0) throw panic_error("rota: latch counted below zero");
    const runtime_entry inside;
    open_for_good(waiting_);
}

void latch::wait_slow() const {
    const runtime_entry inside;
    wait_for_opening(waiting_, wait_reason::semacquire, waits_outside_in(this));
}

}  // namespace rota
