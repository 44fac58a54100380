// Waits until a descriptor is ready, until a deadline, or until it is closed: the parking half of
// netpoll/.
//
// A goroutine parks. A thread of the program's own sleeps on its note as in every other wait, and
// the polling m wakes it; if no m polls, an m is made to poll. The thread does not poll by itself:
// the kernel reports each change once, so events must go through one place.
//
// Deadlines are timers whose claim (timer/heap.hpp) moves the word to `expired`, under the heap's
// lock. So the old moment of a stopped or moved timer has no effect, and there are no sequence
// numbers to compare. A thread that sets a deadline holds the descriptor's lock and takes the
// heap's. A timer that expires holds the heap's and takes none (kb28). Go: netpollblock,
// netpollSetDeadline, netpollDeadline.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/annotations.hpp"
#include "core/getg.hpp"
#include "core/p.hpp"
#include "netpoll/poll_desc.hpp"

namespace rota::rt {

// Waits until the caller may try again: 0. Or ETIMEDOUT, or error_closed (fd/error_closed). Caller:
// holds that direction of the descriptor; not inside a runtime_entry. The m and the p may be
// different afterwards.
[[nodiscard]] int poll_wait(poll_desc& d, poll_dir dir);

// poll_wait that also returns 0 after `ns`; `is_over` tells the caller so. The descriptor may be
// ready then as well, and the poller does not tell the caller a second time. Caller as for
// poll_wait.
[[nodiscard]] int poll_wait_at_most(poll_desc& d, poll_dir dir, std::int64_t ns, bool& is_over);

// The parts of poll_wait, for a caller that inlines the wait (fd/read.cpp).
// The commit function: `word` is the poll_word to wait on. Runs off the waiter's stack.
bool begin_poll_wait(g& gp, void* word);
// Counts an event of the kernel that is taken, whether a goroutine had to wait for it or not.
// Threads without a p are not counted: the count judges how the ps share the work.
ROTA_ALWAYS_INLINE void note_ready_inside() {
    m& self = getm();
    if (self.pp != nullptr) bump(self.pp->counts.polled);
}
void note_ready();  // the same outside of the runtime

// The error of a call that finds its word in this state, or 0.
int poll_error_of(poll_word::state s);

// 0, or the error of a call that cannot even begin, as above.
[[nodiscard]] inline int poll_check(const poll_desc& d, poll_dir dir) {
    const poll_word::state s = d.word[static_cast<std::uint8_t>(dir)].look();
    return s <= poll_word::state::ready ? 0 : poll_error_of(s);
}

// Sets the deadline of one direction: a moment, or 0 for none. A moment that has passed takes
// effect at once, on waiting calls too. Caller: inside a runtime_entry; any number at once.
void poll_set_deadline(poll_desc& d, poll_dir dir, std::int64_t when);

// Ends every wait in d, for good. Caller: inside a runtime_entry, once.
void poll_evict(poll_desc& d);

}  // namespace rota::rt
