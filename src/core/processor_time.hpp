// How much all ps could have computed, and for how much of that they had nothing to do: GOMAXPROCS
// and the number of idle ps, added up over time.
//
// Go keeps a moment in each p instead, and adds up what lies between when the p goes to work again;
// so what is idle for long is missing in its sums until then.
#pragma once

#include <cstdint>

namespace rota::rt {

// Not synchronised: sched.mu guards it. Plain numbers of its own, since to the explorer of
// schedules each look at the scheduler's counters is a choice.
class processor_time {
  public:
    void set_procs(std::int64_t now, std::int32_t n) {
        pass(now);
        procs_ = n;
    }
    // So many more ps are idle from now on; fewer, if negative.
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
