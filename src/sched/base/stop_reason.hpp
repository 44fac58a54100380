// Names the reasons to stop the world (sched/world/stw).
#pragma once

#include <cstdint>

namespace rota::rt {

// The reason for a stop of the world.
enum class stop_reason : std::uint8_t { gomaxprocs, trace, leaks, count };

}  // namespace rota::rt
