// Door: decides whether goroutines left to one m were served well of late (sched/alone).
//
// On a shared machine a p makes only half of its usual turns at times, without any harm to a
// goroutine. So single incidents fade. Several incidents close together, or more than one in
// twenty looks for long, are unrest. So is a single goroutine left waiting.
#pragma once

#include <algorithm>
#include <cstdint>

namespace rota::rt {

class calm_watch {
  public:
    // Nothing is known yet, or a goroutine was left waiting.
    void disturb() { unrest_ = most; }
    // Counts one look; `is_unusual`: the look is an incident.
    void look(bool is_unusual) {
        unrest_ -= unrest_ / memory;
        if (is_unusual) unrest_ = std::min(unrest_ + incident, most);
    }
    bool is_calm() const { return unrest_ < calm_below; }

  private:
    // From `most`, calm takes a hundred looks without an incident.
    static constexpr std::uint32_t memory = 64, incident = 1024, most = 16 * incident,
                                   calm_below = 3 * incident;

    std::uint32_t unrest_ = most;
};

}  // namespace rota::rt
