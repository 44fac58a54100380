// One lock: readers of stacks share it, a search holds it alone.
#include "diag/stack/reading_stacks.hpp"

#include <cstddef>
#include <cstring>

#include <rota/sync/shared_mutex.hpp>

#include "base/annotations.hpp"
#include "core/sched.hpp"

namespace rota::rt {

namespace {

constinit shared_mutex stacks_mu;

// relaxed: set by our own exit, or by an exit that stops us. The holder may have been stopped for
// good.
bool may_wait() { return !sched.exiting.load(memory_order_relaxed); }

}  // namespace

ROTA_NOINLINE void clear_dead_frames() {
    constexpr std::size_t unwinder_max = 16 * 1024;
    std::byte room[unwinder_max];
    ::explicit_bzero(room, sizeof room);
}

reading_stacks::reading_stacks() {
    if (may_wait()) stacks_mu.lock_shared();
    else is_counted_ = stacks_mu.try_lock_shared();
}

reading_stacks::~reading_stacks() {
    clear_dead_frames();
    if (is_counted_) stacks_mu.unlock_shared();
}

searching_stacks::searching_stacks(bool waits) {
    if (waits && may_wait()) stacks_mu.lock();
    else is_alone_ = stacks_mu.try_lock();
}

searching_stacks::~searching_stacks() {
    if (is_alone_) stacks_mu.unlock();
}

}  // namespace rota::rt
