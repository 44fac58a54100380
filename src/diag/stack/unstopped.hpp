// A scope in which the runtime does not stop this thread, because other threads wait for its work.
#pragma once

#include "core/getg.hpp"
#include "sched/entry.hpp"

namespace rota::rt {

// The calling thread is not stopped. Its end honours no request to yield: in another goroutine's
// trace this goroutine would stand as if it were asking. Caller: in user code.
class unstopped {
  public:
    unstopped() { enter_runtime(); }
    ~unstopped() { getm().in_runtime.store(0, memory_order_release); }  // pairs(entry.left)
    unstopped(const unstopped&) = delete;
    unstopped& operator=(const unstopped&) = delete;
};

}  // namespace rota::rt
