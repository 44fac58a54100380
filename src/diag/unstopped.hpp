// While others wait for what this thread does: a scan, a hold.
#pragma once

#include "core/getg.hpp"
#include "sched/entry.hpp"

namespace rota::rt {

// The calling thread is not stopped. No request to yield is honoured at the end: in traces of
// others this goroutine would stand as if it were asking. Caller: in user code.
class unstopped {
  public:
    unstopped() { enter_runtime(); }
    ~unstopped() { getm().in_runtime.store(0, memory_order_release); }  // pairs(entry.left)
    unstopped(const unstopped&) = delete;
    unstopped& operator=(const unstopped&) = delete;
};

}  // namespace rota::rt
