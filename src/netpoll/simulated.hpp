// The back end of a repeatable run (GODEBUG=schedseed): who is told of what, and when, comes from
// the seed.
//
// The descriptors are real; each look asks them by poll(2), and tells of those that are ready in a
// drawn order, half of them later. What one thread does to pipes and Unix sockets is there when the
// call returns, so that their answers are the program's own doing and a run repeats itself. It is
// told again as long as it lasts, which is too often and never too rarely; and with every other
// seed now and then of readiness that there is not.
//
// TCP that is to take part has to be kept in memory: see netpoll/simulated_tcp.hpp. Not repeatable
// is what others do: the network, on whose packets the kernel works when it likes,
// other processes, threads of the program's own. For these virtual time waits a little in real
// time, as far as one can tell by the kind of descriptor.
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

    // What comes is drawn from this seed. Caller: nobody else is in a function of the back end.
    void begin(std::uint64_t seed) {
        rand_ = rng(seed * rng::spread + 1);
        errs_ = rand_.below(2) == 0;
    }

    int start() override { return 0; }
    int add(int fd, std::uint64_t tag) override;
    int remove(int fd, std::uint64_t tag) override;
    // A time-out of less than outside_wait is none where nothing comes from outside; any other is
    // that, in real time.
    int wait(std::int64_t timeout, std::span<poll_event> events) override;
    void wake() override {}  // nobody sleeps here for long
    const char* name() const override { return "simulated"; }

    static constexpr std::int64_t outside_wait = 1'000'000;  // ns

  private:
    int look(bool tells_all, std::span<poll_event> events);

    // Not a lock of the runtime's: descriptors come and go in user code. Held for system calls;
    // there is one thread, as a rule.
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

    // --- owner: who has the turn ----------------------------------------------------------------
    ring_request* first_ = nullptr;  // those that are watched, the last one first
    int outside_ = 0;                // how many of them others may change
    rng rand_;
    bool errs_ = false;  // fixed after begin()
};
inline constinit simulated_backend net_simulated;

}  // namespace rota::rt
