// Where one thread puts what the kernel has told, and those who poll take it.
//
// Of a record there is one letter at most, linked through the record itself: what comes while it
// lies there is added to it. So there is room for all, and what has been told first is taken first.
// A letter bears the number of the use that it is meant for, and who takes it drops it if that use
// is over (netpoll/poll_desc.hpp).
//
// Who sleeps until something comes waits for the bell, a sticky token:
//
//     quiet ──sleep──► asleep ──ring──► rung      (and one futex call)
//       └───────────────ring─────────► rung
//     all ──the sleep is over──► quiet
//
// What is put comes before the ring, and who has slept makes it quiet before he takes: a ring that
// comes later stays for the next sleep.
#pragma once

#include <cstdint>
#include <span>

#include "base/annotations.hpp"
#include "base/atomic.hpp"
#include "netpoll/backend.hpp"
#include "sys/lock.hpp"

namespace rota::rt {

struct poll_desc;

class mailbox {
  public:
    constexpr mailbox() = default;

    // Caller: one thread.
    void put(const poll_event* events, int n) ROTA_EXCLUDES(mu_);
    // Any thread. Returns how many.
    int take(std::span<poll_event> out) ROTA_EXCLUDES(mu_);

    // Until the bell rings or has rung, or until `deadline` (nanotime; no_deadline: for ever); may
    // end early. Caller: one at a time.
    void sleep(std::int64_t deadline);
    void ring();

  private:
    static constexpr std::uint32_t quiet = 0, rung = 1, asleep = 2;

    atomic<std::uint32_t> bell_{quiet};
    alignas(cache_line) lock mu_{lock_rank::poll_mail};
    // Changed under mu_. Who looks without it and finds none has come a moment too early.
    atomic<poll_desc*> first_{nullptr};
    poll_desc* last_ ROTA_GUARDED_BY(mu_) = nullptr;  // of those that first_ begins
};

}  // namespace rota::rt
