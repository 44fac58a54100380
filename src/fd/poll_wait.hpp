// Waiting until a descriptor is ready, until a deadline, or until it is closed: the parking half of
// netpoll/.
//
// A goroutine parks. A thread of the program's own sleeps on its note as in every other wait, and
// whoever polls wakes it; an m is made to poll if none does. It does not poll by itself: the kernel
// tells of each change once, so all events go through one place.
//
// Deadlines are timers whose claim (timer/heap.hpp) moves the word to `expired`, under the heap's
// lock. So once a timer has been stopped or moved, its old moment does nothing any more: there are
// no sequence numbers to be compared. Who sets a deadline holds the descriptor's lock and takes the
// heap's; who expires holds the heap's and takes none (kb28). Go: netpollblock, netpollSetDeadline,
// netpollDeadline.
#pragma once

#include <cstddef>
#include <cstdint>

#include "netpoll/poll_desc.hpp"

namespace rota::rt {

// Waits until somebody may try again: 0. Or ETIMEDOUT, or error_closed (fd/fd.hpp). Caller: holds
// that direction of the descriptor; not inside a runtime_entry. The m and the p may be others
// afterwards.
[[nodiscard]] int poll_wait(poll_desc& d, poll_dir dir);

// The same for a reader of a stream that would take up to `size` bytes from `fd` next; somebody
// else may do so for it. Returns what the call has given, or -EINTR: the caller makes it; or an
// error of the wait with its sign turned.
[[nodiscard]] std::int64_t poll_read(poll_desc& d, int fd, void* to, std::size_t size);

// 0, or why a call cannot even begin, as above.
[[nodiscard]] int poll_check(const poll_desc& d, poll_dir dir);

// The deadline of one direction: a moment, or 0 for none. One that has passed takes effect at once,
// on those who wait too. Caller: inside a runtime_entry; any number at once.
void poll_set_deadline(poll_desc& d, poll_dir dir, std::int64_t when);

// Nothing waits in d any more, for good. Caller: inside a runtime_entry, once.
void poll_evict(poll_desc& d);

}  // namespace rota::rt
