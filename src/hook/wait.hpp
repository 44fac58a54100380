// Waiting for descriptors that are the program's own: rota has not made them, does not know when
// they are closed, and leaves their flags alone.
//
// One descriptor, one kind of event: the goroutine's own poll record is armed for one event of the
// descriptor in the poller (poller::arm). The kernel keys a registration by the open file and the
// number. So a number that was closed and given to another file is not found, and is added anew; a
// registration that a copy (dup) keeps alive is disarmed, or tells once, with a tag that is over.
// Nothing must be undone when a wait ends. The price is one epoll_ctl for each wait.
//
// Several descriptors, or events of one that no single poll word is told of (both directions,
// POLLRDNORM), or a descriptor for which another goroutine waits already, or which the runtime
// itself has added to the poller: a set, which is an epoll descriptor of its own that the poller
// watches. They are put into it for the wait, and taken out after it. Sets are kept for the next
// wait.
//
// The table of waits tells a close who waits for the number. A wait enters before it arms, a close
// looks after it has closed: either the close finds the wait, or arming fails with EBADF.
//
// The kernel frees the number before close returns (a socket that lingers: seconds before), so the
// close may find a wait for the next file of that number. Closes are numbered before they begin,
// and each wait notes the last number. A wait that knows the close's number began after it: it is
// woken to look again, and is not told that its file was closed.
//
// Rejected: a record for each descriptor, edge-triggered, as rota's own descriptors have. It would
// save the epoll_ctl, but a number that is closed behind the library's back (fclose, close_range, a
// system call made directly) and used again would be waited for in vain.
#pragma once

#include <cstddef>
#include <cstdint>

struct pollfd;

namespace rota::rt {

// Caller: boot, before it attaches to the library.
void begin_foreign_waits();

// As hook_runtime::wait.
int foreign_wait(const pollfd* fds, std::size_t count, std::int64_t deadline, std::size_t& closed);

// As hook_runtime::closing.
std::uint64_t foreign_closing();

// As hook_runtime::closed.
void foreign_closed(unsigned first, unsigned last, std::uint64_t close);

}  // namespace rota::rt
