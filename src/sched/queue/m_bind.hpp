// Gives a p to an m, and takes it back.
#pragma once

#include "core/sched.hpp"

namespace rota::rt {

// Binds and unbinds m and p. Go: acquirep, releasep.
void acquirep(m& self, p& pp);
p& releasep(m& self);
// acquirep for an m that had the p in a system call; the caller writes the event of the trace.
void bind_p(m& self, p& pp);

// The process exits: this m never schedules again.
[[noreturn]] void sleep_for_ever();

}  // namespace rota::rt
