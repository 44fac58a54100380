// Says on both sides, m and p, that they belong together, and tells the trace.
#include "sched/queue/m_bind.hpp"

#include "base/fatal.hpp"
#include "sched/record/creation.hpp"
#include "sched/record/trace_events.hpp"
#include "sys/thread/asymmetric.hpp"
#include "sys/thread/note.hpp"

namespace rota::rt {

void bind_p(m& self, p& pp) {
    ROTA_CHECK(self.pp == nullptr);
    self.hold(pp);
    self.ready_extras = extras_with_p(is_traced());
    pp.mp.store(&self, memory_order_release);                  // pairs(p.m)
    pp.status.store(p_status::running, memory_order_relaxed);  // relaxed: the p is ours already
}

void acquirep(m& self, p& pp) {
    bind_p(self, pp);
    light_fence();  // pairs(fence), with the exit, which looks at ps
    if (is_traced()) trace_proc_start(self, pp);
}

p& releasep(m& self) {
    ROTA_CHECK(self.pp != nullptr);
    p& pp = *self.pp;
    if (is_traced()) trace_proc_stop(self, pp);
    self.hold_none();
    pp.mp.store(nullptr, memory_order_relaxed);
    pp.status.store(p_status::idle,
                    memory_order_relaxed);  // relaxed: still ours, until it is put somewhere
    return pp;
}

void sleep_for_ever() {
    note never;
    for (;;) never.sleep();
}

}  // namespace rota::rt
