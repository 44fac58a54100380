// Changes the number of ps. A p is never freed: thieves, sysmon and threads without a p may hold a
// stale number, and find a dead p without work.
#include "sched/world/procresize.hpp"

#include "core/getg.hpp"
#include "mem/mapped.hpp"
#include "sched/base/modes.hpp"
#include "sched/base/wakeup.hpp"
#include "sched/goroutine/gfree.hpp"
#include "sched/queue/idle.hpp"
#include "sched/queue/m_bind.hpp"
#include "sched/queue/run_queue.hpp"
#include "sched/record/stack_depth.hpp"
#include "sched/record/trace_events.hpp"
#include "sched/world/stw.hpp"
#include "sys/call/clock.hpp"

namespace rota::rt {

namespace {

// Creates ps until there are n. sched.allp has at least n entries.
void make_procs(std::int32_t n) {
    for (std::int32_t i = sched.procs_made; i < n; ++i) {
        p& pp = mapped_new<p>();
        pp.id = i;
        if (are_stack_depths_kept()) pp.gfree_class = p::no_gfree_class;
        sched.allp[i] = &pp;
    }
    if (n > sched.procs_made)
        __atomic_store_n(&sched.procs_made, n, __ATOMIC_RELEASE);  // pairs(procs.count)
}

void revive(p& pp) {
    if (pp.status.load(memory_order_relaxed) != p_status::dead) return;  // relaxed: ours; it is new
    pp.timers.reopen();
    pp.status.store(p_status::gcstop, memory_order_relaxed);  // relaxed: ours
}

// Moves timers, dead goroutines and queue of pp to where the remaining ps find them.
void retire(p& pp) {
    timer_heap& heir = sched.allp[0]->timers;
    // The poller may have looked at the heir before and at pp afterwards.
    if (pp.timers.move_all(heir)) wake_poller(heir.bound());
    gfree_purge(pp);
    const lock_guard guard(sched.mu);
    bool inherit = false;
    while (g* const gp = runq_get(pp, inherit)) global_put(*gp);
    pp.mp.store(nullptr, memory_order_relaxed);
    pp.status.store(p_status::dead, memory_order_relaxed);  // relaxed: ours
}

}  // namespace

void first_procs(std::int32_t n) {
    ROTA_CHECK(n >= 1 && n <= procs_max);
    ROTA_CHECK(sched.procs_made == 0);
    make_procs(n);
    const lock_guard guard(sched.mu);
    sched.worked.set_procs(nanotime_unseen(), n);
    __atomic_store_n(&sched.gomaxprocs, n, __ATOMIC_RELEASE);      // pairs(procs.count)
    for (std::int32_t i = n; i-- > 0;) pidle_put(*sched.allp[i]);  // so that p 0 is taken first
}

void procresize(std::int32_t n) {
    ROTA_CHECK(n >= 1 && n <= procs_max);
    m& self = getm();
    const std::int32_t before = proc_count();
    make_procs(n);
    for (std::int32_t i = before; i < n; ++i) revive(*sched.allp[i]);
    if (self.pp != nullptr && self.pp->id >= n) {
        (void)releasep(self);
        acquirep(self, *sched.allp[0]);
    }
    for (std::int32_t i = n; i < before; ++i) retire(*sched.allp[i]);
    const lock_guard guard(sched.mu);
    sched.worked.set_procs(nanotime_unseen(), n);
    __atomic_store_n(&sched.gomaxprocs, n, __ATOMIC_RELEASE);  // pairs(procs.count)
}

std::int32_t change_proc_count(std::int32_t n) {
    if (seeded.on) return seeded_set_proc_count(n);
    const std::int32_t before = proc_count();
    if (n != before && stop_the_world(stop_reason::gomaxprocs)) {
        procresize(n);
        if (is_traced()) trace_procs_change(getm(), n);
        start_the_world();
    }
    return before;
}

}  // namespace rota::rt
