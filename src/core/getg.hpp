// Returns the m and the g of the calling thread. A caller never keeps either across a call that may
// park.
#pragma once

#include "core/m.hpp"
#include "core/sched.hpp"

namespace rota::rt {

// The calling thread's m, or null if it has not used rota yet.
ROTA_ALWAYS_INLINE m* getm_or_null() { return static_cast<m*>(self()); }

ROTA_ALWAYS_INLINE m& getm() {
    m* mp = getm_or_null();
    ROTA_DCHECK(mp != nullptr);
    return *mp;
}

// The goroutine that runs here; null in the scheduler and outside goroutines.
inline g* current_goroutine() {
    m* mp = getm_or_null();
    return mp == nullptr || mp->curg->is_thread ? nullptr : mp->curg;
}

}  // namespace rota::rt
