// Runs the conductor: draws the p, the goroutine and the virtual time of each step.
#include "sched/modes/seeded.hpp"

#include "base/fatal.hpp"
#include "netpoll/simulated.hpp"
#include "netpoll/simulated_tcp.hpp"
#include "sched/base/latency.hpp"
#include "sched/base/park.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/base/schedule.hpp"
#include "sched/base/steal_order.hpp"
#include "sched/base/wakeup.hpp"
#include "sched/goroutine/newproc.hpp"
#include "sched/m/m_record.hpp"
#include "sched/m/m_thread.hpp"
#include "sched/queue/deadlock.hpp"
#include "sched/queue/idle.hpp"
#include "sched/queue/m_bind.hpp"
#include "sched/queue/poll.hpp"
#include "sched/queue/run_queue.hpp"
#include "sched/queue/switch.hpp"
#include "sched/world/procresize.hpp"
#include "sys/call/clock.hpp"
#include "sys/thread/asymmetric.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

constexpr std::int64_t first_moment = 1'000'000'000;  // virtual ns
constinit m* conductor = nullptr;                     // fixed by seeded_start
constinit bool resting ROTA_GUARDED_BY(sched.mu) = false;

// --- the record ----------------------------------------------------------------------------------

// FNV-1a over words.
void note_step(std::uint64_t what) {
    constexpr std::uint64_t prime = 0x100000001b3u;
    // relaxed, both: written by the conductor; pairs(seeded.rest) hands them over
    seeded.hash.store((seeded.hash.load(memory_order_relaxed) ^ what) * prime,
                      memory_order_relaxed);
}

// --- time ----------------------------------------------------------------------------------------

// Most steps take a moment; a few take longer than a mutex waits before it is in starvation mode.
void let_time_pass(rng& rand) {
    const std::int64_t by =
        rand.below(64) == 0 ? std::int64_t{1'000} * rand.below(2'000) : 100 + rand.below(2'000);
    virtual_clock.advance(by);
}

std::int64_t next_timer() {
    std::int64_t least = 0;
    for (std::int32_t i = 0; i < proc_count(); ++i) {
        const std::int64_t when = sched.allp[i]->timers.earliest();
        if (when != 0 && (least == 0 || when < least)) least = when;
    }
    return least;
}

// The next timer or the next change of TCP in memory, if that is earlier; 0: neither.
std::int64_t next_moment() {
    const std::int64_t timer = next_timer(), packet = simulated_net.next_change();
    return timer == 0 || (packet != 0 && packet < timer) ? packet : timer;
}

// --- steps ---------------------------------------------------------------------------------------

void draw_p(m& self) {
    p& pp = *sched.allp[self.rand.below(static_cast<std::uint32_t>(proc_count()))];
    if (&pp == self.pp) return;
    (void)releasep(self);
    acquirep(self, pp);
}

// Finds what the drawn p runs next: the places in findrunnable's order, but no spinning and no
// sleep.
found find(m& self) {
    p& pp = *self.pp;
    if (pp.timers.earliest_hint() != 0) {
        pp.timers.pace.forget_gap();  // a batch needs no waiting here
        (void)run_due_timers(self, pp, nanotime());
    }
    found f;
    const bool global_first = pp.sched_tick.load(memory_order_relaxed) % 61 == 0;  // our own
    const auto from_global = [&]() -> g* {
        if (!global_has_work()) return nullptr;
        const lock_guard guard(sched.mu);
        return global_get(pp, global_first ? 1 : 0);
    };
    if (global_first && (f.gp = from_global()) != nullptr) return f;
    if ((f.gp = runq_get(pp, f.inherit)) != nullptr) return f;
    f.inherit = false;
    if ((f.gp = from_global()) != nullptr) return f;
    if ((f = from_netpoll(self))) return f;
    for (const std::int32_t i : steal_order(self.rand)) {
        p& victim = *sched.allp[i];
        if (&victim != &pp && (f.gp = runq_steal(pp, victim, true)) != nullptr) return f;
    }
    return f;
}

bool has_audience() {
    // relaxed: a thread that comes now wakes the conductor by its use of rota
    return seeded.runs.load(memory_order_seq_cst) != 0 ||  // pairs(seeded.rest)
           sched.foreign_used.load(memory_order_relaxed);
}

// Sleeps while there is no run() and no thread to run anything for: goroutines that are left wait.
void rest(m& self) {
    {
        const lock_guard guard(sched.mu);
        if (has_audience()) return;
        self.park.clear();
        resting = true;
        self.pp->status.store(p_status::idle, memory_order_release);  // pairs(exit.stopped)
    }
    self.park.sleep();
    // relaxed: written by this thread
    self.pp->status.store(p_status::running, memory_order_relaxed);
}

void end_rest() {
    const lock_guard guard(sched.mu);
    if (!resting) return;
    resting = false;
    conductor->park.wakeup();
}

// Polls when nothing can run but descriptors may still bring something. Waiters in the simulation
// are told now. Events of the world outside come in their own time, so such a run does not repeat
// itself. The global queue, which other threads fill, is looked at as often. False: nothing has
// come, and virtual time may go on.
bool wait_for_descriptors(m& self, bool has_timers) {
    constexpr std::int64_t a_while = simulated_backend::outside_wait;
    ready_list ready;
    net_poller.look_for(has_timers ? 1 : a_while, ready);
    if (ready.count > 0) queue_ready(self, ready);
    return ready.count > 0 || global_has_work();
}

// Sleeps when nothing can run. The protocol of every m that goes to sleep, in one step: all queues
// but the global queue are the conductor's own.
void sleep_until_called(m& self) {
    bool dead = false;
    {
        const lock_guard guard(sched.mu);
        if (!sched.runq.empty()) return;
        self.park.clear();
        pidle_put(releasep(self));
        ROTA_CHECK(sched.nmspinning.fetch_sub(1, memory_order_seq_cst) > 0);  // pairs(wake.submit)
        midle_put(self);
        dead = is_deadlocked();
    }
    if (dead) confirm_deadlock();
    heavy_fence();  // pairs(wake.submit)
    // A submitter that came before the fence has seen the conductor as a spinner, and relied on it.
    if (global_has_work() || next_timer() != 0) wakep();
    self.park.sleep();
    acquirep(self, *self.next_p);
    self.next_p = nullptr;
    // nmspinning counts it all the same: submitters need wake no m while it looks
    self.spinning = false;
}

[[noreturn]] void end_for_exit(m& self) {
    self.pp->status.store(p_status::gcstop, memory_order_release);  // pairs(exit.stopped)
    sleep_for_ever();
}

void* conduct(void* arg) {
    m& self = *static_cast<m*>(arg);
    thread_take_signal_mask();
    minit(self);
    thread_set_name("rota-seeded");
    self.in_runtime.store(1, memory_order_relaxed);  // relaxed: its reader brings the barrier
    p* first = nullptr;
    {
        const lock_guard guard(sched.mu);
        first = pidle_get();
        while (pidle_get() != nullptr) {
        }
    }
    acquirep(self, *first);
    seeded_loop(self);
    return nullptr;
}

}  // namespace

void seeded_begin(std::uint64_t seed) {
    seeded.seed = seed;
    seeded.on = true;
    virtual_clock.start(first_moment);
    net_simulated.begin(seed);
    net_poller.use(net_simulated);
    // relaxed: boot publishes everything
    sched.direct_switch_blockers.store(true, memory_order_relaxed);
    sched.nmspinning.store(1, memory_order_relaxed);  // relaxed: as above; the conductor looks
}

void seeded_start() {
    {
        const lock_guard guard(sched.mu);
        count_m();
        conductor = &new_m_record();
    }
    constexpr std::size_t stack_size = 256 * 1024;
    start_thread(conduct, conductor, stack_size);
}

rng seeded_rng(std::uint64_t m_id) { return rng((seeded.seed + 1) * rng::spread ^ m_id << 32); }

ROTA_SWITCHES_STACK void seeded_loop(m& self) {
    for (;;) {
        if (sched.exiting.load(memory_order_relaxed)) end_for_exit(self);  // relaxed: looked again
        if (!has_audience()) {
            rest(self);
            continue;
        }
        draw_p(self);
        let_time_pass(self.rand);
        const found next = find(self);
        if (!next) {
            const std::int64_t when = next_moment();
            const bool has_timers = when != 0;
            if (net_poller.has_waiters() && (wait_for_descriptors(self, has_timers) || !has_timers))
                continue;
            if (when != 0) virtual_clock.leap_to(when);
            else sleep_until_called(self);
            continue;
        }
        bump(seeded.steps);
        note_step(next.gp->goid << 16 ^ static_cast<std::uint64_t>(self.pp->id));
        note_step(static_cast<std::uint64_t>(virtual_clock.peek()));
        start_running(self, *self.pp, *next.gp, next.inherit);
        // relaxed: written by this thread, for seeded_leave
        self.preempt.store(true, memory_order_relaxed);
        switch_to(self, self.g0, *next.gp);
    }
}

void seeded_leave() {
    m& self = enter_runtime();
    if (self.pp != nullptr && !self.curg->is_thread &&
        ((seeded.held == 0 && self.rand.below(8) == 0) ||
         sched.exiting.load(memory_order_relaxed))) {  // relaxed: a hint
        bump(self.pp->counts.preemptions);
        gosched_yield();
    }
    m& here = getm();
    // relaxed: written by this thread
    here.preempt.store(here.pp != nullptr, memory_order_relaxed);
    here.in_runtime.store(0, memory_order_release);  // pairs(entry.left)
}

void seeded_run(m& self, const run_record& record) {
    {
        const lock_guard guard(sched.mu);
        ++sched.run_count;
    }
    seeded.runs.fetch_add(1, memory_order_seq_cst);  // pairs(seeded.rest)
    end_rest();
    while (!record.done.load(memory_order_acquire)) self.park.sleep();  // pairs(run.done)
    // The conductor wakes this thread under the lock. Taking the lock ensures that the wake-up is
    // over: it would disturb the thread's next sleep.
    const lock_guard guard(sched.mu);
}

void seeded_run_over(m& main_m) {
    --sched.run_count;
    seeded.runs.fetch_sub(1, memory_order_seq_cst);  // pairs(seeded.rest)
    main_m.park.wakeup();                            // under the lock: see seeded_run
}

namespace {

// In the frame of a thread that waits.
struct resize {
    std::int32_t n;           // fixed
    std::int32_t before = 0;  // written before `done` is rung, read after it
    note done;                // the thread sleeps here
};

std::int32_t resize_here(std::int32_t n) {
    const std::int32_t before = proc_count();
    if (n != before) procresize(n);
    return before;
}

void resize_for(void* arg) {
    auto& job = *static_cast<resize*>(arg);
    {
        const runtime_entry inside;
        job.before = resize_here(job.n);
    }
    job.done.wakeup();
}

}  // namespace

std::int32_t seeded_set_proc_count(std::int32_t n) {
    if (!getm().curg->is_thread) return resize_here(n);
    resize job{n, 0, {}};
    spawn_from_scheduler(resize_for, &job, __builtin_return_address(0));
    job.done.sleep();
    return job.before;
}

void seeded_note_thread() { end_rest(); }

void seeded_restart(std::uint64_t seed) {
    ROTA_CHECK(seeded.on && seeded.runs.load(memory_order_seq_cst) == 0);  // pairs(seeded.rest)
    const auto rests = [] {
        const lock_guard guard(sched.mu);
        return resting;
    };
    while (!rests()) thread_yield();
    const lock_guard guard(sched.mu);
    (void)releasep(*conductor);
    acquirep(*conductor, *sched.allp[0]);
    seeded.seed = seed;
    conductor->rand = seeded_rng(conductor->id);
    net_simulated.begin(seed);
    simulated_net.begin(seed);
    seeded.steps.store(0, memory_order_relaxed);    // relaxed: handed over by sched.mu
    seeded.hash.store(0, memory_order_relaxed);     // relaxed: as above
    sched.goid_gen.store(1, memory_order_relaxed);  // relaxed: as above
    for (std::int32_t i = 0; i < made_count(); ++i) {
        p& pp = *sched.allp[i];
        ROTA_CHECK(runq_empty(pp) && pp.timers.earliest() == 0);
        pp.timers.forget_bound();  // of the last program
        pp.goid_next = pp.goid_end = 0;
        pp.until_clock = p::clock_period;  // each look at the clock is a moment of virtual time
        pp.sched_tick.store(0, memory_order_relaxed);  // relaxed: handed over by sched.mu
    }
    forget_runnable_outside();
    virtual_clock.start(first_moment);
}

void seeded_report() {
    if (!seeded.on) return;
    print_error("rota: schedseed=%llu: %llu steps, hash %016llx\n",
                static_cast<unsigned long long>(seeded.seed),
                static_cast<unsigned long long>(
                    seeded.steps.load(memory_order_relaxed)),  // relaxed: for reports
                static_cast<unsigned long long>(
                    seeded.hash.load(memory_order_relaxed)));  // relaxed: for reports
}

}  // namespace rota::rt
