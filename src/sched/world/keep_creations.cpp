// Brings the setting to each m by a stop of the world.
#include "sched/world/keep_creations.hpp"

#include "core/getg.hpp"
#include "sched/base/hooks.hpp"
#include "sched/base/modes.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/record/creation.hpp"
#include "sched/record/trace_log.hpp"
#include "sched/world/stw.hpp"

namespace rota::rt {

ROTA_NOINLINE void keep_creations(bool on) {
    boot_runtime();
    const runtime_entry inside;
    const auto store = [on] {
        creations_kept.store(on, memory_order_relaxed);  // relaxed: see there
        m& self = getm();
        if (self.pp != nullptr) self.ready_extras = extras_with_p(is_traced());
    };
    if (seeded.on) return store();  // there is one thread
    world_lock();
    if (stop_the_world(stop_reason::leaks)) {
        store();
        start_the_world();
    }
    world_unlock();
}

}  // namespace rota::rt
