// Starts an m when there is an idle p and work, puts it to sleep on its note when there is not, and
// hands ps from m to m.
#pragma once

#include <cstddef>

#include "base/annotations.hpp"
#include "core/sched.hpp"

namespace rota::rt {

// Gives pp, which the caller holds, to `reserved`, an m that the caller has taken off the idle
// list, or else to an idle, a stopped or a new m. `spinning`: the caller has counted that m in
// nmspinning. May start a thread. Go: startm.
void startm(p& pp, bool spinning, m* reserved = nullptr) ROTA_EXCLUDES(sched.mu);

// As startm, for a spinner. True: the p has gone to an m that does not spin, and the caller is to
// look for a successor, as wakep does.
[[nodiscard]] bool start_spinner(p& pp) ROTA_EXCLUDES(sched.mu);

// Whether pp would next go to the m that is first in line for a p (sched/queue/suspended_queue),
// and has no other work: then pp needs no other m.
[[nodiscard]] bool is_for_suspended(const p& pp) ROTA_REQUIRES(sched.mu);

// Sleeps until a waker hands this m a p. Go: stopm.
void stopm(m& self) ROTA_EXCLUDES(sched.mu);

// Passes on a p whose m cannot use it any more: to another m if there is work, else to the idle
// list. `reserved`: as for startm; it goes back to its list if it is not needed. Go: handoffp.
void handoffp(p& pp, m* reserved = nullptr) ROTA_EXCLUDES(sched.mu);

}  // namespace rota::rt
