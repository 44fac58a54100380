// Passes the kernel's events from the thread that gets them to the threads that poll.
//
// A record (poll_desc) has at most one letter, linked through the record itself; later events are
// added to a letter that lies there. So there is room for every event, and letters are taken in
// their order. A letter bears the number of the use of the record that it is meant for. The taker
// drops it if that use is over (netpoll/poll_desc.hpp).
//
// A thread that sleeps until an event comes waits for the bell, a sticky token:
//
//     quiet ──sleep──► asleep ──ring──► rung      (and a futex call)
//       └───────────────ring─────────► rung
//     any ──the sleep is over──► quiet
//
// A put rings the bell after it has posted. A sleeper makes the bell quiet before it takes: a later
// ring stays for the next sleep.
#pragma once

#include <cstdint>
#include <span>

#include "base/annotations.hpp"
#include "base/atomic.hpp"
#include "netpoll/backend.hpp"
#include "sys/thread/lock.hpp"

namespace rota::rt {

struct poll_desc;

class mailbox {
  public:
    constexpr mailbox() = default;

    // Posts `n` events, and rings the bell. Caller: always the same thread.
    void put(const poll_event* events, int n) ROTA_EXCLUDES(mu_);
    // Takes letters; returns their number. Any thread.
    int take(std::span<poll_event> out) ROTA_EXCLUDES(mu_);

    // Sleeps until the bell rings or has rung, or until `deadline` (nanotime; no_deadline: for
    // ever); may end early. Caller: one thread at a time.
    void sleep(std::int64_t deadline);
    void ring();

  private:
    static constexpr std::uint32_t quiet = 0, rung = 1, asleep = 2;

    atomic<std::uint32_t> bell_{quiet};
    alignas(cache_line) lock mu_{lock_rank::poll_mail};
    // Changed under mu_. A thread that reads null without mu_ comes before the next put.
    atomic<poll_desc*> first_{nullptr};
    poll_desc* last_ ROTA_GUARDED_BY(mu_) = nullptr;  // the end of the list from first_
};

}  // namespace rota::rt
