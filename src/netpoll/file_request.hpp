// A call on a file that a back end makes in the place of a goroutine, which sleeps until it is
// done.
//
// It lies on the stack of who asks, and so may the bytes: who asks stays until is_done, whatever
// happens. Nothing ends it before its time; a close of the file comes into force after it, as after
// any other call that is under way (fd/fd_mutex.hpp).
//
//     ask ──watcher──► ring ~~~kernel~~~► ring ──watcher──► is_done, and an event with the tag
//
// The tag is that of a record of the asker's own, of no descriptor, on whose direction `read` it
// waits. So it is counted, woken and traced as one that waits for a descriptor. As there, `ready`
// may be said too often: is_done tells.
#pragma once

#include "base/atomic.hpp"
#include "netpoll/poll_desc.hpp"
#include "sys/uring.hpp"

namespace rota::rt {

struct file_request : ring_request {
    io_file_call call;        // who asks writes it, and hands it over
    std::int64_t result = 0;  // the watcher's until is_done
    // The last that the watcher does with the request.
    atomic<bool> is_done{false};
};

}  // namespace rota::rt
