// Narrows the affinity of a sleeping m before it wakes it, and restores it on that m.
#include "sched/queue/placement.hpp"

namespace rota::rt {

void wake_on(m& mp, int processor) {
    // mp is still placed if the kernel has refused to restore its affinity.
    if (ROTA_UNLIKELY(processor != p::anywhere) && !mp.is_placed) {
        const int tid = mp.tid.load(memory_order_relaxed);  // relaxed: see tid
        mp.is_placed = narrow_affinity(tid, processor, mp.affinity);
    }
    mp.park.wakeup();
}

void take_affinity_back(m& self) { self.is_placed = !restore_affinity(self.affinity); }

}  // namespace rota::rt
