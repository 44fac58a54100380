// Says whether sysmon may stop threads, by which signal, and how a turn on a p is named.
#pragma once

#include <cstdint>

#include "core/sched.hpp"

namespace rota::rt {

struct stop_settings_t {
    bool stops = false;  // sysmon may stop threads
    int signal = 0;      // the signal that stops them
    // ns that a goroutine may run before goroutines readied by a timer, the network or a foreign
    // thread come first
    std::int64_t interactive_after = 0;
};
inline constinit stop_settings_t stop_settings;  // fixed at boot

// Names the turn that pp's holder makes now. relaxed: the holder's own; for sysmon a guess
inline std::uint64_t turn_of(const p& pp) {
    return std::uint64_t{static_cast<std::uint32_t>(pp.id) + 1} << 32 |
           pp.sched_tick.load(memory_order_relaxed);
}

}  // namespace rota::rt
