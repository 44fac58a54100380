// What tests of refused and interrupted system calls share: nothing where no faults can be planted.
#pragma once

#include <atomic>

#include "sys/call/fault.hpp"

#if defined(ROTA_DEBUG_CHECKS)

namespace rota_test {

inline std::atomic<unsigned> asked{0};  // what a test's own fault counts
inline std::atomic<rota::rt::sys_call> refused{rota::rt::sys_call::count};
inline std::atomic<int> refusal{0};

inline int refuse_one_kind(rota::rt::sys_call call) {
    return call == refused.load() ? refusal.load() : 0;
}

// While it lives, calls of this kind fail; or get no more than n bytes, if `error` is -n.
struct refusing {
    refusing(rota::rt::sys_call call, int error) {
        refused = call;
        refusal = error;
        rota::rt::plant_fault(refuse_one_kind);
    }
    ~refusing() { rota::rt::plant_fault(nullptr); }
};

}  // namespace rota_test

#endif
