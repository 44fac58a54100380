// wait_list: the waiters for an object, in order of arrival. The list lies in the object, and each
// waiter in the frame of its goroutine or thread. Only the engine touches both, under the lock of
// the object's address (src/sync/wait/wait_list.hpp).
#pragma once

namespace rota::detail {

struct waiter;

struct wait_list {
    waiter* first = nullptr;
    waiter* last = nullptr;
};

}  // namespace rota::detail
