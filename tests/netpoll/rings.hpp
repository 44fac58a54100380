// Back ends on io_uring for tests, each apart from the process's own, which is not on io_uring
// then: a record has one letter, and lies in one mailbox. The thread of one lives on, so there is
// one of each kind.
#pragma once

#include <cstdio>

#include "netpoll/uring.hpp"

namespace rota_test {

// Null: the kernel has none, which is said.
inline rota::rt::uring_backend* started(rota::rt::uring_backend& b) {
    const int error = b.start();
    if (error == 0) return &b;
    std::printf("no io_uring here (errno %d): nothing to be seen\n", -error);
    return nullptr;
}

inline rota::rt::uring_backend* ring() {
    static rota::rt::uring_backend one;
    return started(one);
}

// As small as can be: completions have no room, watches end, and requests wait for a slot.
inline rota::rt::uring_backend* tiny_ring() {
    static rota::rt::uring_backend one({2, 4});
    return started(one);
}

}  // namespace rota_test
