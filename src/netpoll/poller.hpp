// The poller: where one idle m waits for the next timer. At most one m sleeps in it at a time
// (sched.last_poll).
//
// A break is a sticky token: it ends the sleep under way or else the next one. Go: netpoll(delay),
// netpollBreak.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"

namespace rota::rt {

class poller {
  public:
    // Sleeps until `deadline` (nanotime) or a break.
    void sleep_until(std::int64_t deadline);

    // Ends the sleep. Any thread, any number of times.
    void wake();

  private:
    static constexpr std::uint32_t quiet = 0, broken = 1, sleeping = 2;
    atomic<std::uint32_t> word_{quiet};
};
inline constinit poller net_poller;

}  // namespace rota::rt
