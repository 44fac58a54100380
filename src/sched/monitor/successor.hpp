// Sets aside the next m of a p that sysmon is about to take: a p is taken only when its next m is
// certain.
#pragma once

#include <cstdint>

#include "base/annotations.hpp"
#include "core/sched.hpp"

namespace rota::rt {

// The next m of a p, set aside for it.
struct successor {
    m* mp = nullptr;  // null: none
    bool is_stopped = false;
};

// When the first stopped m in line is the successor although other goroutines are queued: before an
// idle m, without an idle m, or never.
enum class suspended_turn : std::uint8_t { first, last, none };

// Sets the successor of pp aside. Caller: sysmon, which gives it the p, or puts it back.
[[nodiscard]] successor reserve_m(const p& pp, suspended_turn turn, std::int64_t now)
    ROTA_EXCLUDES(sched.mu);
void give_p_to(successor to, p& pp) ROTA_EXCLUDES(sched.mu);
void return_successor(successor to) ROTA_EXCLUDES(sched.mu);

}  // namespace rota::rt
