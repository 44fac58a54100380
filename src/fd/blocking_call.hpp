// A scope in which a call may block the thread.
#pragma once

#include "sched/thread/syscall.hpp"

namespace rota::rt {

// While it lives the thread may block: the p is handed off. Not to be nested.
struct blocking_call {
    blocking_call() { entersyscall(); }
    ~blocking_call() { exitsyscall(); }
    blocking_call(const blocking_call&) = delete;
    blocking_call& operator=(const blocking_call&) = delete;
};

}  // namespace rota::rt
