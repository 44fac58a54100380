// Waits for descriptors that are the program's own. The runtime has not made them, is not told of
// each close, and leaves their flags alone.
//
// Descriptors in one direction (all to be read, or all to be written): the goroutine's own poll
// record is armed for one event of each descriptor in the poller (poller::arm). The kernel keys a
// registration by the open file and the number. So a number that was closed and given to another
// file is not found, and is added anew. A registration that a copy (dup) keeps alive, or that has
// not fired when the wait ends, fires once at most, with a tag that is over. Nothing must be undone
// when a wait ends. The price is one epoll_ctl for each descriptor.
//
// A set is an epoll descriptor of its own that the poller watches. The descriptors are put into it
// for the wait, and taken out after it. Sets are kept for the next wait. A wait takes a set:
//   - for events that no single poll word is told of (both directions, POLLRDNORM);
//   - for a descriptor that another goroutine waits for already;
//   - for a descriptor that the runtime itself has added to the poller.
//
// Each wait stands in the table (hook/table.hpp) while it lasts. There a close finds it. A wait in
// turn may find a leader there: then the goroutine parks, and the kernel is not asked.
//
// Rejected: a record for each descriptor, edge-triggered, as rota's own descriptors have. It would
// save the epoll_ctl. But a number that is closed unseen (a system call made directly) and used
// again would be waited for in vain.
#pragma once

#include <cstddef>
#include <cstdint>

struct pollfd;

namespace rota::rt {

// As hook_runtime::wait.
int foreign_wait(const pollfd* fds, std::size_t count, std::int64_t deadline, bool in_turn,
                 std::size_t& closed);

}  // namespace rota::rt
