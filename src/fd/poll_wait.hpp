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

#include "base/annotations.hpp"
#include "core/getg.hpp"
#include "core/p.hpp"
#include "netpoll/poll_desc.hpp"

namespace rota::rt {

// Waits until somebody may try again: 0. Or ETIMEDOUT, or error_closed (fd/fd.hpp). Caller: holds
// that direction of the descriptor; not inside a runtime_entry. The m and the p may be others
// afterwards.
[[nodiscard]] int poll_wait(poll_desc& d, poll_dir dir);

// As poll_wait, and also returns 0 after `ns`; `is_over` tells the caller so. The descriptor may be
// ready then as well, and the poller does not tell the caller a second time. Caller as poll_wait.
[[nodiscard]] int poll_wait_at_most(poll_desc& d, poll_dir dir, std::int64_t ns, bool& is_over);

// What poll_wait is made of, for who compiles the wait into a call of its own (fd/read.cpp).
// The commit function: `word` is the poll_word that is waited for. Off the stack of who waits.
bool begin_poll_wait(g& gp, void* word);
// What the kernel has told of is taken: once, whether somebody had to wait for it or not.
// Threads that have no p are not counted: how the ps share the work is what the count judges.
ROTA_ALWAYS_INLINE void note_ready_inside() {
    m& self = getm();
    if (self.pp != nullptr) bump(self.pp->counts.polled);
}
void note_ready();  // the same outside of the runtime

// Why a call that finds its word like this fails, or 0.
int poll_error_of(poll_word::state s);

// 0, or why a call cannot even begin, as above.
[[nodiscard]] inline int poll_check(const poll_desc& d, poll_dir dir) {
    const poll_word::state s = d.word[static_cast<std::uint8_t>(dir)].look();
    return s <= poll_word::state::ready ? 0 : poll_error_of(s);
}

// The deadline of one direction: a moment, or 0 for none. One that has passed takes effect at once,
// on those who wait too. Caller: inside a runtime_entry; any number at once.
void poll_set_deadline(poll_desc& d, poll_dir dir, std::int64_t when);

// Nothing waits in d any more, for good. Caller: inside a runtime_entry, once.
void poll_evict(poll_desc& d);

}  // namespace rota::rt
