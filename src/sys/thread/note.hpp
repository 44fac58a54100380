// A note: a thread sleeps on it until a second thread writes it. One-shot; clear() before the next
// use.
//
//     clear ──sleep()──► sleeping ──wakeup()──► set        (futex call on both sides)
//       └──────wakeup()───────────────────────► set        (no system call at all)
//
// A wake-up is a token: it counts even when it comes before the sleep. Go: note, notesleep,
// notewakeup.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "sys/call/futex.hpp"

namespace rota::rt {

class note {
  public:
    // Caller: the sleeper, when no wake-up of the last round can still be under way.
    void clear() {
        word_.store(clear_state, memory_order_relaxed);
    }  // relaxed: the hand-over that follows orders it

    // Sleeps until wakeup(). The waker's stores before it are visible afterwards.
    void sleep() { (void)sleep_until(no_deadline); }

    // sleep() until `deadline` (nanotime) at most. True: woken; false: timed out, and the note is
    // clear again.
    bool sleep_until(std::int64_t deadline);

    void wakeup();

  private:
    static constexpr std::uint32_t clear_state = 0, set_state = 1, sleeping_state = 2;
    atomic<std::uint32_t> word_{clear_state};
};

}  // namespace rota::rt
