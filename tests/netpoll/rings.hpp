// Makes back ends on io_uring for tests, separate from the process's own poller. That poller must
// not be on io_uring: a record has one pending event, which lies in at most one event_queue. A back
// end's thread never ends, so there is one back end of each kind.
#pragma once

#include <cstdio>

#include "netpoll/uring.hpp"

namespace rota_test {

// Null: the kernel has no io_uring; the function prints that.
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

// As small as possible: completions have no room, watches end, and requests wait for a slot.
inline rota::rt::uring_backend* tiny_ring() {
    static rota::rt::uring_backend one({2, 4});
    return started(one);
}

}  // namespace rota_test
