// Sets aside the next m of a p that sysmon is about to take: a p is taken only when its next m is
// certain.
#pragma once

#include <cstdint>

#include "base/annotations.hpp"
#include "core/sched.hpp"

namespace rota::rt {

// The next m of a p, set aside for it.
struct heir {
    m* mp = nullptr;  // null: none
    bool is_stopped = false;
};

// When the first stopped m in line is the heir although other goroutines are queued: before an idle
// m, without an idle m, or never.
enum class line_turn : std::uint8_t { first, last, none };

// Sets the heir of pp aside. Caller: sysmon, which gives it the p, or puts it back.
[[nodiscard]] heir set_aside(const p& pp, line_turn turn, std::int64_t now) ROTA_EXCLUDES(sched.mu);
void give_to(heir to, p& pp) ROTA_EXCLUDES(sched.mu);
void put_back(heir to) ROTA_EXCLUDES(sched.mu);

}  // namespace rota::rt
