// Keeps goroutines from beginning while ms are short (sched/monitor/admission_control says when
// that is): such a goroutine may compute for long, and take the last m.
#pragma once

#include "base/annotations.hpp"
#include "core/sched.hpp"

namespace rota::rt {

// Turns the shortage on or off. While it is on, all switches go through g0, which puts off
// goroutines that have not begun.
void set_ms_short(bool is_short) ROTA_REQUIRES(sched.mu);

// Notes that the last idle m is about to get a p: while goroutines compute for long it begins none.
void note_last_m() ROTA_REQUIRES(sched.mu);

// Defers gp, which is to run next, if it has not begun and may not. True: it has.
[[nodiscard]] bool defer_start(g& gp) ROTA_EXCLUDES(sched.mu);

}  // namespace rota::rt
