// Stops and starts the world, and keeps the line of callers that want to stop it.
#include "sched/world/stw.hpp"

#include "arch/context.hpp"
#include "base/probe.hpp"
#include "core/getg.hpp"
#include "sched/base/park.hpp"
#include "sched/base/wakeup.hpp"
#include "sched/m/m_lifecycle.hpp"
#include "sched/preempt/retake.hpp"
#include "sched/queue/idle.hpp"
#include "sched/queue/poll.hpp"
#include "sched/queue/run_queue.hpp"
#include "sched/record/trace_events.hpp"
#include "sched/thread/syscall.hpp"
#include "sys/call/clock.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

constexpr std::int64_t spin_ns = 20'000;  // about the time it takes to wake the stopper
// An m that has just passed g0 may have missed the request, or may enter a system call: asked
// again.
constexpr std::int64_t nap_min_ns = 50'000, nap_max_ns = 1'000'000;

// In the frame of a goroutine, or thread, that waits for the world's lock.
struct turn {
    g* gp;                 // fixed
    turn* next = nullptr;  // guarded by world.mu
};

struct world_t {
    lock mu{lock_rank::world};
    bool taken ROTA_GUARDED_BY(mu) = false;
    turn* first ROTA_GUARDED_BY(mu) = nullptr;
    turn* last ROTA_GUARDED_BY(mu) = nullptr;

    // --- owner: the holder of the world's lock --------------------------------------
    stop_reason why = stop_reason::count;
    std::int64_t asked_at = 0;
    std::int64_t stopped_at = 0;
};
constinit world_t world;

constinit stop_counters all_stops[static_cast<std::size_t>(stop_reason::count)];

// Takes all idle ps for the stopper; returns how many. sysmon, if it sleeps deeply, need not know.
std::int32_t take_idle_ps() ROTA_REQUIRES(sched.mu) {
    std::int32_t n = 0;
    while (p* const pp = sched.idle_p) {
        sched.idle_p = pp->idle_link;
        pp->idle_link = nullptr;
        pp->status.store(p_status::gcstop, memory_order_relaxed);  // relaxed: under sched.mu
        ++n;
    }
    sched.worked.add_idle(nanotime_unseen(), -n);
    sched.idle_p_count.store(0, memory_order_seq_cst);  // pairs(wake.submit)
    return n;
}

template <class F>
void take_syscall_ps(F each) ROTA_REQUIRES(sched.mu) {
    for (std::int32_t i = 0; i < proc_count(); ++i) {
        p& pp = *sched.allp[i];
        if (pp.status.load(memory_order_relaxed) != p_status::syscall) continue;  // relaxed: a hint
        if (!retake_syscall_p(pp)) continue;
        bump(pp.syscall_tick);
        each(pp);
    }
}

// Takes the ps of ms whose threads are still to be made, which may take long. A spinner among them
// is still needed afterwards.
template <class F>
void take_ps_of_starting_ms(F each) ROTA_REQUIRES(sched.mu) {
    while (m* const mp = sched.starting_ms) {
        sched.starting_ms = mp->starting_next;
        mp->starting_next = nullptr;
        p& pp = *mp->next_p;
        mp->next_p = nullptr;
        if (mp->spinning) {
            mp->spinning = false;
            sched.need_spinning.store(true, memory_order_seq_cst);  // pairs(wake.need)
            ROTA_CHECK(sched.nmspinning.fetch_sub(1, memory_order_seq_cst) >
                       0);  // pairs(wake.submit)
        }
        each(pp);
    }
}

bool begin_stop(const m& self) {
    const lock_guard guard(sched.mu);
    if (sched.stopping) return false;
    ROTA_CHECK(!sched.world_stops);
    std::int32_t left = proc_count();
    if (self.pp != nullptr) {
        // relaxed: written by this thread
        self.pp->status.store(p_status::gcstop, memory_order_relaxed);
        --left;
    }
    left -= take_idle_ps();
    const auto in_hand = [&left](p& pp) {
        pp.status.store(p_status::gcstop, memory_order_relaxed);  // relaxed: under sched.mu
        --left;
    };
    take_syscall_ps(in_hand);
    take_ps_of_starting_ms(in_hand);
    sched.stop_note.clear();
    sched.stop_wait.store(left, memory_order_relaxed);  // relaxed: under sched.mu
    sched.world_stops = true;
    sched.stop_wanted.store(true, memory_order_relaxed);  // relaxed: looked at again under sched.mu
    sched.direct_switch_blockers.fetch_add(1, memory_order_relaxed);  // relaxed: as above
    return true;
}

// Lets the world go on, whatever has been stopped.
void end_stop() ROTA_REQUIRES(sched.mu) {
    sched.world_stops = false;
    sched.stop_wanted.store(false, memory_order_relaxed);             // relaxed: as in begin_stop
    sched.direct_switch_blockers.fetch_sub(1, memory_order_relaxed);  // relaxed: as in begin_stop
}

bool all_stopped() {
    return sched.stop_wait.load(memory_order_acquire) == 0;  // pairs(stw.wait)
}

// Counts pp, which this m has taken, as stopped. No thread sleeps on the note: only this m would.
void count_taken(p& pp) ROTA_REQUIRES(sched.mu) {
    pp.status.store(p_status::gcstop, memory_order_relaxed);             // relaxed: under sched.mu
    ROTA_CHECK(sched.stop_wait.fetch_sub(1, memory_order_relaxed) > 0);  // relaxed: as above
}

// Takes the ps that have entered a system call since the last look, and asks running ms to yield.
// If they have been asked before, takes the ps of computing goroutines as well.
void press(bool insist) {
    bool any = false;
    for (std::int32_t i = 0; i < proc_count(); ++i) {
        p& pp = *sched.allp[i];
        const p_status status = pp.status.load(memory_order_relaxed);  // relaxed: asked again
        any = any || status == p_status::syscall;
        if (status != p_status::running) continue;
        m* const mp = pp.mp.load(memory_order_acquire);                    // pairs(p.m)
        if (mp != nullptr) mp->preempt.store(true, memory_order_relaxed);  // relaxed: advice
        if (!insist || !retake_p(pp)) continue;
        const lock_guard guard(sched.mu);
        count_taken(pp);
    }
    if (!any && !insist) return;
    const lock_guard guard(sched.mu);
    take_syscall_ps(count_taken);
    take_ps_of_starting_ms(count_taken);
}

// Waits until every p is stopped. False: the process exits, and an m that holds a p will never give
// it up.
bool wait_until_stopped() {
    const std::int64_t spin_until = world.asked_at + (processor_count() > 1 ? spin_ns : 0);
    std::int64_t nap = nap_min_ns;
    for (bool insist = false; !all_stopped(); insist = true) {
        press(insist);
        while (!all_stopped() && nanotime() < spin_until) procyield(10);
        if (all_stopped() || sched.stop_note.sleep_until(nanotime() + nap)) continue;
        if (sched.exiting.load(memory_order_relaxed)) return false;  // relaxed: looked at again
        if (nap < nap_max_ns) nap *= 2;
    }
    return true;
}

// Whether an m is needed for more than the queues of ps.
bool is_anything_owed() ROTA_REQUIRES(sched.mu) {
    if (sched.runq_size.load(memory_order_relaxed) != 0) return true;   // relaxed: under sched.mu
    if (sched.need_spinning.load(memory_order_seq_cst)) return true;    // pairs(wake.need)
    if (sched.last_poll.load(memory_order_seq_cst) == 0) return false;  // pairs(timer.poller)
    return is_poller_needed();
}

void count_pause() {
    stop_counters& c = all_stops[static_cast<std::size_t>(world.why)];
    const std::int64_t now = nanotime();
    const auto paused = static_cast<std::uint64_t>(now - world.stopped_at);
    bump(c.stops);
    bump(c.waited_ns, static_cast<std::uint64_t>(world.stopped_at - world.asked_at));
    bump(c.paused_ns, paused);
    // relaxed: this thread is the only writer
    if (paused > c.paused_max_ns.load(memory_order_relaxed))
        c.paused_max_ns.store(paused, memory_order_relaxed);  // relaxed: as above
    c.stopping.record(world.stopped_at - world.asked_at);
    c.total.record(now - world.asked_at);
}

}  // namespace

const stop_counters& stops_for(stop_reason why) { return all_stops[static_cast<std::size_t>(why)]; }

void world_lock() ROTA_NO_TSA {  // gopark_unlock releases it
    turn mine{getm().curg};
    world.mu.acquire();
    if (!world.taken) {
        world.taken = true;
        world.mu.release();
        return;
    }
    if (world.last != nullptr) world.last->next = &mine;
    else world.first = &mine;
    world.last = &mine;
    if (mine.gp->in != nullptr) mine.gp->waits_outside = true;
    gopark_unlock(world.mu, wait_reason::semacquire);
}

void world_unlock() {
    g* next = nullptr;
    {
        const lock_guard guard(world.mu);
        turn* const t = world.first;
        if (t == nullptr) {
            world.taken = false;
            return;
        }
        world.first = t->next;
        if (world.first == nullptr) world.last = nullptr;
        next = t->gp;  // its frame may go as soon as it is readied
    }
    goready(*next);
}

namespace {

void tell_of_end(m& self, [[maybe_unused]] stop_reason why) {
    ROTA_PROBE1("stw_end", "1", why);
    if (is_traced()) trace_stop_end(self);
}

}  // namespace

bool stop_the_world(stop_reason why) {
    m& self = getm();
    world.why = why;
    world.asked_at = nanotime();
    ROTA_PROBE1("stw_begin", "1", why);
    if (is_traced()) trace_stop_begin(self, static_cast<unsigned>(why));
    if (!begin_stop(self)) {
        tell_of_end(self, why);
        return false;
    }
    if (!wait_until_stopped()) {
        tell_of_end(self, why);
        const lock_guard guard(sched.mu);
        end_stop();
        if (self.pp != nullptr) self.pp->status.store(p_status::running, memory_order_relaxed);
        return false;
    }
    world.stopped_at = nanotime();
    return true;
}

void start_the_world() {
    m& self = getm();
    count_pause();
    tell_of_end(self, world.why);
    p* busy = nullptr;  // linked by idle_link
    bool owed = false;
    {
        const lock_guard guard(sched.mu);
        ROTA_CHECK(all_stopped());
        end_stop();
        for (std::int32_t i = proc_count(); i-- > 0;) {  // so that p 0 is taken first
            p& pp = *sched.allp[i];
            if (&pp == self.pp) {
                // relaxed: written by this thread
                pp.status.store(p_status::running, memory_order_relaxed);
            } else if (runq_empty(pp)) {
                pidle_put(pp);
            } else {
                pp.idle_link = busy;
                busy = &pp;
            }
        }
        owed = is_anything_owed();
        if (busy != nullptr || self.pp != nullptr) wake_sysmon();
    }
    while (busy != nullptr) {
        p& pp = *busy;
        busy = pp.idle_link;
        pp.idle_link = nullptr;
        startm(pp, false);
    }
    if (owed) wakep();
}

}  // namespace rota::rt
