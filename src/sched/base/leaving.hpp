// Looks, before a goroutine leaves its m, whether it may: pins (sched/thread/lock_thread) and
// checked parks (sched/base/park_check) ask for that.
#pragma once

#include "base/annotations.hpp"
#include "core/m.hpp"

namespace rota::rt {

// gp is about to leave self: locks the two together if gp is pinned. Otherwise, if parks are
// checked, looks whether gp may leave (sched/base/park_check). Caller: on gp's stack, inside the
// runtime, before gp can be readied. Parks: never.
ROTA_COLD void leave_with_care(m& self, g& gp);
ROTA_ALWAYS_INLINE void before_leaving(m& self, g& gp) {
    if (ROTA_UNLIKELY(gp.leaves_with_care)) leave_with_care(self, gp);
}

}  // namespace rota::rt
