// Polls descriptors in a repeatable run (GODEBUG=schedseed): the seed decides which events are
// reported, and when.
//
// The descriptors are real. Each poll asks them by poll(2), and reports the ready descriptors in a
// drawn order, half of them later. When a call on a pipe or Unix socket returns, its effect is
// there. So the descriptors' answers depend on the program alone, and a run repeats itself. An
// event is reported again as long as its state lasts: too often, never too rarely. With every
// second seed the back end now and then reports readiness that is not there.
//
// TCP that is to take part must be kept in memory: see netpoll/simulated_tcp.hpp. The outside world
// is not repeatable: the network, whose packets the kernel handles at its own time, other
// processes, threads of the program's own. For these virtual time waits a little in real time,
// where the kind of descriptor shows that they may act on it.
#pragma once

#include <cstdint>
#include <span>

#include "base/atomic.hpp"
#include "base/rand.hpp"
#include "netpoll/backend.hpp"
#include "netpoll/poll_desc.hpp"

namespace rota::rt {

class simulated_backend final : public poll_backend {
  public:
    constexpr simulated_backend() = default;

    // Draws the events from this seed. Caller: no thread is in a function of the back end.
    void begin(std::uint64_t seed) {
        rand_ = rng(seed * rng::spread + 1);
        errs_ = rand_.below(2) == 0;
    }

    int start() override { return 0; }
    int add(int fd, std::uint64_t tag) override;
    int remove(int fd, std::uint64_t tag) override;
    // A time-out below outside_wait counts as 0 where no event can come from outside. Every longer
    // wait, and every wait where events can come from outside, lasts outside_wait in real time.
    int wait(std::int64_t timeout, std::span<poll_event> events) override;
    void wake() override {}  // no thread sleeps here for long
    const char* name() const override { return "simulated"; }

    static constexpr std::int64_t outside_wait = 1'000'000;  // ns

  private:
    int look(bool tells_all, std::span<poll_event> events);

    // The right to use the back end. Not a lock of the runtime: descriptors come and go in user
    // code. Held during system calls; as a rule the process has a single thread.
    class turn {
      public:
        explicit turn(simulated_backend& of);
        ~turn();
        turn(const turn&) = delete;
        turn& operator=(const turn&) = delete;

      private:
        simulated_backend& of_;
    };
    atomic<std::uint32_t> in_use_{0};

    // --- owner: the holder of the turn ---
    ring_request* first_ = nullptr;  // the watched descriptors, the newest first
    int outside_ = 0;                // number of them that the outside world may change
    rng rand_;
    bool errs_ = false;  // reports readiness that is not there, at times; fixed after begin()
};
inline constinit simulated_backend net_simulated;

}  // namespace rota::rt
