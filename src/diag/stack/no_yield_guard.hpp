// A scope in which the runtime does not stop this thread, because other threads wait for its work.
#pragma once

#include "core/getg.hpp"
#include "sched/base/runtime_entry.hpp"

namespace rota::rt {

// The calling thread is not stopped. Its end honours no request to yield: in another goroutine's
// trace this goroutine would stand as if it were asking. Caller: in user code.
class no_yield_guard {
  public:
    no_yield_guard() { enter_runtime(); }
    ~no_yield_guard() { getm().in_runtime.store(0, memory_order_release); }  // pairs(entry.left)
    no_yield_guard(const no_yield_guard&) = delete;
    no_yield_guard& operator=(const no_yield_guard&) = delete;
};

}  // namespace rota::rt
