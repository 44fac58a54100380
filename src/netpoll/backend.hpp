// What the poller needs of whoever watches descriptors: epoll here, another in tests.
//
// A back end tells of changes: once when a descriptor is added that is ready already, then whenever
// something more can be read, or written, than before. Each event names the descriptor by the tag
// it was added with. All functions may be called by several threads at once, but for `start`; wait
// with a time-out other than 0 by one at a time. Errors are errno values with their sign turned.
#pragma once

#include <cstdint>

namespace rota::rt {

inline constexpr int poll_events_max = 128;  // a call

struct poll_event {
    std::uint64_t tag = 0;
    bool read = false;   // a read, or an accept, will not wait: it finds data, the end, or an error
    bool write = false;  // likewise
    bool ended = false;  // see poll_desc::ended
};

struct poll_backend {
    const char* name;
    // Makes it ready for use; 0 or an error. Called again after an error.
    int (*start)();
    int (*add)(int fd, std::uint64_t tag);  // -EPERM: the kernel does not watch this kind
    int (*remove)(int fd);
    // Waits for at most `timeout` ns; below 0: for ever; 0: not at all. Returns the number of
    // events.
    int (*wait)(std::int64_t timeout, poll_event (&events)[poll_events_max]);
    // Ends the wait with a time-out that is under way, or the next one. A wait without one leaves
    // that alone.
    void (*wake)();
};

extern const poll_backend epoll_backend;

}  // namespace rota::rt
