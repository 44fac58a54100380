// Those who wait for an object, in the order of their coming. The list lies in the object, the
// waiters lie in the frames of those who wait; both are touched by the engine alone, under the lock
// that belongs to the object's address (src/sync/wait_list.hpp).
#pragma once

namespace rota::detail {

struct waiter;

struct wait_list {
    waiter* first = nullptr;
    waiter* last = nullptr;
};

}  // namespace rota::detail
