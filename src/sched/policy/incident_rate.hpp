// Door: decides whether goroutines left to a single m were served well of late
// (sched/policy/poll_trial).
//
// On a shared machine a p makes only half of its usual turns at times, without harm to a goroutine.
// So single incidents fade. The rate is high after several incidents close together, after a long
// time with incidents in more than 5 % of the looks, or after a goroutine was left waiting.
#pragma once

#include <algorithm>
#include <cstdint>

namespace rota::rt {

class incident_rate {
  public:
    // The rate is high: nothing is known yet, or a goroutine was left waiting.
    void set_high() { rate_ = most; }
    // Counts a look; `is_unusual`: the look is an incident.
    void count_look(bool is_unusual) {
        rate_ -= rate_ / memory;
        if (is_unusual) rate_ = std::min(rate_ + incident, most);
    }
    bool is_low() const { return rate_ < low_below; }

  private:
    // From `most` it takes a hundred looks without an incident until the rate is low.
    static constexpr std::uint32_t memory = 64, incident = 1024, most = 16 * incident,
                                   low_below = 3 * incident;

    std::uint32_t rate_ = most;
};

}  // namespace rota::rt
