// Starting, stopping and handing on.
#include "sched/m_lifecycle.hpp"

#include <cerrno>
#include <cstdio>

#include "base/fatal.hpp"
#include "mem/mapped.hpp"
#include "netpoll/poller.hpp"
#include "sched/deadlock.hpp"
#include "sched/entry.hpp"
#include "sched/hooks.hpp"
#include "sched/idle.hpp"
#include "sched/run_queue.hpp"
#include "sched/schedule.hpp"
#include "sched/wakeup.hpp"
#include "sys/clock.hpp"
#include "sys/signal.hpp"
#include "sys/thread.hpp"

namespace rota::rt {

namespace {

constexpr std::size_t m_stack_size = 256 * 1024;

// What every m needs once, on its own thread.
void minit(m& self) {
    set_self(&self);
    self.eh = thread_eh_state();
    self.curg = &self.g0;
    self.g0.mp = &self;
    self.g0.is_thread = true;
    self.g0.status.store(g_status::running,
                         memory_order_relaxed);  // relaxed: nobody else looks yet
    self.signal_stack = signal_stack_install();
#if ROTA_ASAN || ROTA_TSAN
    const thread_stack own = current_thread_stack();
    fiber_adopt_thread(self.g0.fib, own.bottom, own.size);
#endif
}

m& new_m_record() ROTA_REQUIRES(sched.mu) {
    m& mp = mapped_new<m>();
    mp.id = sched.m_next_id++;
    mp.rand = rng(static_cast<std::uint64_t>(nanotime()) ^ (mp.id << 32));
    mp.all_link = sched.allm.load(memory_order_relaxed);  // relaxed: changed under sched.mu
    sched.allm.store(&mp, memory_order_release);          // pairs(m.list)
    return mp;
}

void count_m() ROTA_NO_TSA {  // requires sched.mu; releases it only to die
    if (++sched.m_count <= sched.m_max) return;
    const std::int32_t limit = sched.m_max;
    sched.mu.release();
    print_error("runtime: program exceeds %d-thread limit\n", limit);
    fatal("thread exhaustion", trace_scope::all);
}

void* mstart(void* arg) {
    m& self = *static_cast<m*>(arg);
    minit(self);
    char name[16];
    std::snprintf(name, sizeof name, "rota-m%llu", static_cast<unsigned long long>(self.id));
    thread_set_name(name);
    self.in_runtime.store(1, memory_order_relaxed);  // relaxed: its reader brings the barrier
    acquirep(self, *self.next_p);
    self.next_p = nullptr;
    schedule_loop(self);
    check_failed("an m of the runtime's own never leaves its scheduler", __FILE__, __LINE__);
}

void newm(m& mp) {
    constexpr int tries = 20;
    int error = 0;
    for (int i = 0; i < tries; ++i) {
        error = thread_create(mstart, &mp, m_stack_size);
        if (error == 0) {
            shared_counts.threads.fetch_add(1, memory_order_relaxed);  // relaxed: for reports
            return;
        }
        if (error != EAGAIN) break;
        thread_sleep_ns(1'000'000L * (i + 1));  // the kernel may be short of something for a moment
    }
    print_error("runtime: failed to create new OS thread (errno=%d); may need to increase max user "
                "processes (ulimit -u), "
                "kernel.threads-max or the cgroup's pids.max\n",
                error);
    fatal("runtime.newosproc", trace_scope::none);
}

// Puts pp on the idle list, unless there is work after all, or pp is the last one and its timers
// have no poller.
bool try_idle(p& pp, std::int64_t when) {
    const lock_guard guard(sched.mu);
    const bool last =
        sched.idle_p_count.load(memory_order_relaxed) == sched.gomaxprocs - 1;  // relaxed: under mu
    const bool polled = sched.last_poll.load(memory_order_seq_cst) == 0;  // pairs(timer.poller)
    if (!sched.runq.empty() || (last && when != 0 && !polled)) return false;
    pidle_put(pp);
    return true;
}

}  // namespace

void startm(p& pp, bool spinning, bool not_home) {
    m* mp = nullptr;
    bool fresh = false;
    {
        const lock_guard guard(sched.mu);
        mp = midle_get(not_home);
        if (mp == nullptr) {
            count_m();
            mp = &new_m_record();
            fresh = true;
        }
    }
    ROTA_CHECK(!mp->spinning && mp->next_p == nullptr);
    mp->spinning = spinning;
    mp->next_p = &pp;
    if (fresh) return newm(*mp);
    shared_counts.wakeups.fetch_add(1, memory_order_relaxed);  // relaxed: for reports
    mp->park.wakeup();
}

void stopm(m& self) {
    ROTA_CHECK(self.pp == nullptr && !self.spinning);
    bool dead = false;
    {
        const lock_guard guard(sched.mu);
        if (self.run != nullptr && self.run->done.load(memory_order_acquire))
            return;  // pairs(run.done)
        self.park.clear();
        midle_put(self);
        dead = is_deadlocked();
    }
    if (dead) report_deadlock();
    self.park.sleep();
    if (self.next_p == nullptr) return;  // its run() is over
    acquirep(self, *self.next_p);
    self.next_p = nullptr;
}

void handoffp(p& pp) {
    if (!runq_empty(pp) || global_has_work()) return startm(pp, false);
    // No work here. If nobody looks for some, somebody must: work may come up elsewhere right now.
    std::int32_t nobody = 0;
    if (sched.nmspinning.load(memory_order_seq_cst) +
                sched.idle_p_count.load(memory_order_seq_cst) ==
            0 &&  // pairs(wake.submit)
        sched.nmspinning.compare_exchange(nobody, 1, memory_order_seq_cst,
                                          memory_order_relaxed)) {  // pairs(wake.submit)
        sched.need_spinning.store(false, memory_order_seq_cst);     // pairs(wake.need)
        return startm(pp, true);
    }
    const std::int64_t when = pp.timers.earliest();
    if (!try_idle(pp, when)) return startm(pp, false);
    if (when != 0) wake_poller(when);
}

void acquirep(m& self, p& pp) {
    ROTA_CHECK(self.pp == nullptr);
    self.pp = &pp;
    pp.mp.store(&self, memory_order_release);                  // pairs(p.m)
    pp.status.store(p_status::running, memory_order_relaxed);  // relaxed: the p is ours already
}

p& releasep(m& self) {
    ROTA_CHECK(self.pp != nullptr);
    p& pp = *self.pp;
    self.pp = nullptr;
    pp.mp.store(nullptr, memory_order_relaxed);
    pp.status.store(p_status::idle,
                    memory_order_relaxed);  // relaxed: still ours, until it is put somewhere
    return pp;
}

void sleep_for_ever() {
    note never;
    for (;;) never.sleep();
}

m& attach_thread() {
    boot_runtime();
    m* mp = nullptr;
    {
        const lock_guard guard(sched.mu);
        mp = sched.free_foreign;
        if (mp != nullptr) sched.free_foreign = mp->idle_next;
        else mp = &new_m_record();
        mp->idle_next = nullptr;
    }
    mp->foreign = true;
    sched.foreign_count.fetch_add(1, memory_order_relaxed);  // relaxed: for reports
    sched.foreign_used.store(
        true, memory_order_relaxed);  // relaxed: read under sched.mu much later, or not at all
    minit(*mp);
    at_thread_end(mp, [](self_header* header) {
        m& self = *static_cast<m*>(header);
        ROTA_CHECK(self.foreign);
        signal_stack_free(self.signal_stack);
        self.signal_stack = nullptr;
        set_self(nullptr);
        sched.foreign_count.fetch_sub(1, memory_order_relaxed);  // relaxed: for reports
        const lock_guard guard(sched.mu);
        self.idle_next = sched.free_foreign;
        sched.free_foreign = &self;
    });
    return *mp;
}

m& thread_becomes_m() {
    boot_runtime();
    const bool used_before =
        sched.foreign_used.load(memory_order_relaxed);  // relaxed: this thread's own doing counts
    m* mp = getm_or_null();
    if (mp == nullptr) {
        mp = &attach_thread();
        sched.foreign_used.store(used_before,
                                 memory_order_relaxed);  // relaxed: as in attach_thread
    }
    ROTA_CHECK(mp->foreign && mp->curg == &mp->g0);
    mp->foreign = false;
    sched.foreign_count.fetch_sub(1, memory_order_relaxed);  // relaxed: for reports
    const lock_guard guard(sched.mu);
    count_m();
    ++sched.run_count;
    return *mp;
}

void m_becomes_thread(m& self) {
    if (self.spinning) {
        self.spinning = false;
        ROTA_CHECK(sched.nmspinning.fetch_sub(1, memory_order_seq_cst) > 0);  // pairs(wake.submit)
    }
    if (self.pp != nullptr) handoffp(releasep(self));
    {
        const lock_guard guard(sched.mu);
        --sched.m_count;
        --sched.run_count;
    }
    self.foreign = true;
    sched.foreign_count.fetch_add(1, memory_order_relaxed);  // relaxed: for reports
    self.preempt.store(false, memory_order_relaxed);         // relaxed: advice
    self.in_runtime.store(0, memory_order_relaxed);  // relaxed: its reader brings the barrier
}

void main_goroutine_ended(run_record& record) {
    m& home = *record.mp;  // the record may be gone once `done` is set
    bool asleep = false;
    {
        const lock_guard guard(sched.mu);
        record.done.store(true, memory_order_seq_cst);  // pairs(run.done)
        asleep = midle_remove(home);
    }
    if (asleep) {
        home.park.wakeup();
        return;
    }
    // It runs something else, or is about to sleep in the poller, or is this very m.
    home.preempt.store(true, memory_order_relaxed);  // relaxed: advice
    net_poller.wake();
}

}  // namespace rota::rt
