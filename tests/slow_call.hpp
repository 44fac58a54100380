// A system call that lasts: what the tests of hand-off, retake and deadlock put a goroutine into.
//
// It is the load, never a wait for something: no test relies on how long it takes.
#pragma once

#include <unistd.h>
#include <rota/go.hpp>

namespace rota_test {

// Sits in the kernel for about `us` microseconds, as a read of a slow disk would.
inline void sit_in_a_call(unsigned us) {
    rota::blocking([us] { ::usleep(us); });
}

}  // namespace rota_test
