// Door: whether all has been well of late with those who are left to one m (sched/alone).
//
// Where a machine is shared, a p makes but half of its usual turns now and then, and nobody has
// done it any harm. So single incidents are forgotten, one after the other; a few close to each
// other, or more than one in twenty looks for long, are unrest. So is one that has done harm.
#pragma once

#include <algorithm>
#include <cstdint>

namespace rota::rt {

class calm_watch {
  public:
    // Nothing is known, or somebody has been left waiting.
    void disturb() { unrest_ = most; }
    // One look, and whether something was unusual in it.
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
