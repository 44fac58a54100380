// A call on a file that a back end makes in the place of a goroutine, which sleeps until it is
// done.
//
// The request lies on the asker's stack, and so may the bytes: the asker stays until is_done,
// whatever happens. Nothing ends the request early. A close of the file comes into force after it,
// as after any other call under way (fd/fd_mutex.hpp).
//
//     ask ──watcher──► ring ~~~kernel~~~► ring ──watcher──► is_done, and an event with the tag
//
// The tag is that of a record of the asker's own, of no descriptor; the asker waits on the record's
// `read` direction. So it is counted, woken and traced like a wait for a descriptor. As there,
// `ready` may come too often: is_done decides.
#pragma once

#include "base/atomic.hpp"
#include "netpoll/poll_desc.hpp"
#include "sys/io/uring.hpp"

namespace rota::rt {

struct file_request : ring_request {
    io_file_call call;        // written by the asker, which then hands it over
    std::int64_t result = 0;  // the watcher's until is_done
    // The watcher's last access to the request.
    atomic<bool> is_done{false};
};

}  // namespace rota::rt
