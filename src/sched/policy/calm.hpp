// Door: decides whether goroutines left to a single m were served well of late
// (sched/policy/poll_trial).
//
// On a shared machine a p makes only half of its usual turns at times, without harm to a goroutine.
// So single incidents fade. It is not calm after several incidents close together, after a long
// time with incidents in more than 5 % of the looks, or after a goroutine was left waiting.
#pragma once

#include <algorithm>
#include <cstdint>

namespace rota::rt {

class calm_watch {
  public:
    // Ends the calm: nothing is known yet, or a goroutine was left waiting.
    void disturb() { unrest_ = most; }
    // Counts a look; `is_unusual`: the look is an incident.
    void look(bool is_unusual) {
        unrest_ -= unrest_ / memory;
        if (is_unusual) unrest_ = std::min(unrest_ + incident, most);
    }
    bool is_calm() const { return unrest_ < calm_below; }

  private:
    // From `most` it takes a hundred looks without an incident until it is calm.
    static constexpr std::uint32_t memory = 64, incident = 1024, most = 16 * incident,
                                   calm_below = 3 * incident;

    std::uint32_t unrest_ = most;
};

}  // namespace rota::rt
