// Reads the m and asks the kernel whether a goroutine without a p computes.
#include "diag/stack/told_status.hpp"

#include "core/m.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

bool computes_without_p(const m& mp) {
    // relaxed, all: a report lives with what was true a moment ago
    if (mp.entry.load(memory_order_relaxed) != entry_state::retaken ||
        mp.suspended.load(memory_order_relaxed))
        return false;
    return state_of_thread(mp.tid.load(memory_order_relaxed)) == thread_state::awake;
}

ROTA_READS_RACING g_status told_status(const g& gp, g_status seen) {
    if (seen != g_status::syscall) return seen;
    const m* const mp = gp.mp;  // ms are never freed
    if (mp == nullptr || mp->curg != &gp) return seen;
    return computes_without_p(*mp) ? g_status::running : seen;
}

}  // namespace rota::rt
