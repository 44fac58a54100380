// Sums over time: how long the ps together could have computed, and for how much of that time they
// were idle. The inputs are GOMAXPROCS and the number of idle ps.
//
// Go keeps a moment in each p instead, and adds the time between when the p goes back to work. So
// its sums miss a long idle period until that period ends.
#pragma once

#include <cstdint>

namespace rota::rt {

// Not synchronised: sched.mu guards it. It keeps plain numbers of its own, since each look at the
// scheduler's counters is a choice for the explorer of schedules.
class processor_time {
  public:
    void set_procs(std::int64_t now, std::int32_t n) {
        pass(now);
        procs_ = n;
    }
    // From `now` on n more ps are idle; fewer, if n is negative.
    void add_idle(std::int64_t now, std::int32_t n) {
        pass(now);
        idle_ += n;
    }

    struct sums {
        std::int64_t total_ns, idle_ns;
    };
    sums until(std::int64_t now) {
        pass(now);
        return {total_ns_, idle_ns_};
    }

  private:
    void pass(std::int64_t now) {
        const std::int64_t ns = now > at_ ? now - at_ : 0;  // the clock of a simulation is set back
        total_ns_ += ns * procs_;
        idle_ns_ += ns * idle_;
        at_ = now;
    }

    std::int64_t at_ = 0;
    std::int64_t total_ns_ = 0;
    std::int64_t idle_ns_ = 0;
    std::int32_t procs_ = 0;
    std::int32_t idle_ = 0;
};

}  // namespace rota::rt
