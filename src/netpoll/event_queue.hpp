// Passes the kernel's events from the thread that gets them to the threads that poll.
//
// A record (poll_desc) has at most one pending event, linked through the record itself; later
// events are added to a pending event that lies there. So there is room for every event, and
// pending events are taken in their order. A pending event bears the number of the use of the
// record that it is meant for. The taker drops it if that use is over (netpoll/poll_desc.hpp).
//
// A thread that sleeps until an event comes waits for the wake token, which is sticky:
//
//     clear ──sleep──► asleep ──wake──► set      (and a futex call)
//       └───────────────wake─────────► set
//     any ──the sleep is over──► clear
//
// A put sets the wake token after it has posted. A sleeper clears the wake token before it takes: a
// later wake-up stays for the next sleep.
#pragma once

#include <cstdint>
#include <span>

#include "base/annotations.hpp"
#include "base/atomic.hpp"
#include "netpoll/backend.hpp"
#include "sys/thread/lock.hpp"

namespace rota::rt {

struct poll_desc;

class event_queue {
  public:
    constexpr event_queue() = default;

    // Posts `n` events, and sets the wake token. Caller: always the same thread.
    void put(const poll_event* events, int n) ROTA_EXCLUDES(mu_);
    // Takes pending events; returns their number. Any thread.
    int take(std::span<poll_event> out) ROTA_EXCLUDES(mu_);

    // Sleeps until the wake token is set, or until `deadline` (nanotime; no_deadline: for
    // ever); may end early. Caller: one thread at a time.
    void sleep(std::int64_t deadline);
    void wake();

  private:
    static constexpr std::uint32_t clear = 0, set = 1, asleep = 2;

    atomic<std::uint32_t> wake_token_{clear};
    alignas(cache_line) lock mu_{lock_rank::poll_events};
    // Changed under mu_. A thread that reads null without mu_ comes before the next put.
    atomic<poll_desc*> first_{nullptr};
    poll_desc* last_ ROTA_GUARDED_BY(mu_) = nullptr;  // the end of the list from first_
};

}  // namespace rota::rt
