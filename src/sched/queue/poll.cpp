// Polls for ready descriptors, makes the goroutines that wait for them runnable, and queues them.
#include "sched/queue/poll.hpp"

#include "base/probe.hpp"
#include "core/getg.hpp"
#include "netpoll/read_ahead.hpp"
#include "sched/base/latency.hpp"
#include "sched/base/park.hpp"
#include "sched/base/wakeup.hpp"
#include "sched/queue/idle.hpp"
#include "sched/queue/poll_mode.hpp"
#include "sched/queue/run_queue.hpp"
#include "sched/record/trace_events.hpp"
#include "sys/call/clock.hpp"
#include "sys/thread/asymmetric.hpp"

namespace rota::rt {

namespace {

// For up to this many goroutines beside the next, the wake-up is left to sysmon at first, as for
// timers' goroutines: they will have run before another m is awake.
constexpr std::uint32_t few = 2;

// A ring of at most this length has room for the goroutines that a look brings.
constexpr std::uint32_t backlog = 64;

// Goroutines with this average run time or more (ns) are worth a detour by the global queue.
constexpr std::int64_t long_run_ns = 100'000;

// Makes gp, which has been taken out of its word, runnable. False: gp is a thread of the program's
// own, and awake.
bool make_runnable(g& gp) {
    const m* const self = getm_or_null();  // null: sysmon
    if (!gp.is_thread) {
        if (self != nullptr && self->pp != nullptr) note_runnable(*self->pp, gp);
        else note_runnable_outside(gp);
    }
    casgstatus(gp, g_status::waiting, g_status::runnable);
    if (!gp.is_thread) {
        light_fence();  // pairs(fence), with the beginning of a trace: sysmon has no p
        ROTA_PROBE1("go_ready", "8", gp.goid);
        if (is_traced()) trace_go_unblock(gp);
        return true;
    }
    gp.mp->park.wakeup();
    return false;
}

// Stores the time of this look, unless an m sleeps in the poller: last_poll then stays 0.
void note_poll(std::int64_t now) {
    std::int64_t last = sched.last_poll.load(memory_order_relaxed);       // relaxed: decided below
    if (last != 0) sched.last_poll.cas(last, now, memory_order_seq_cst);  // pairs(timer.poller)
}

// Stores the result and the time of a look. Caller: the owner of pp, just after the look.
void note_look(p& pp, std::int64_t now, const ready_list& ready) {
    note_found(pp, now, ready);
    note_poll(now);
}

// Makes the goroutines of `ready` runnable and writes them to `out`; returns how many.
std::uint32_t make_all_runnable(const ready_list& ready, g** out) {
    std::uint32_t n = 0;
    for (std::uint32_t i = 0; i < ready.count; ++i) __builtin_prefetch(ready.all[i], 1);
    for (std::uint32_t i = 0; i < ready.count; ++i) {
        if (make_runnable(*ready.all[i])) out[n++] = ready.all[i];
    }
    return n;
}

// As make_all_runnable, for goroutines that will be queued on pp. If they run there in turn, this
// reads ahead for them; if other ps may take them, each such p reads for itself. While the process
// exits no goroutine runs any more, and the buffers are being destroyed: then nothing is read.
std::uint32_t make_all_runnable_on(const p& pp, const ready_list& ready, g** out) {
    // relaxed: the exiting m sets it, then looks for ps that run, such as pp: keeps_ready_local's
    // fence
    if (ready.count > 1 && keeps_ready_local(pp) && !sched.exiting.load(memory_order_relaxed))
        read_ahead(ready);
    return make_all_runnable(ready, out);
}

// Queues a batch; as urgent where no p is idle: the world outside waits for these goroutines, so
// they must not wait for whole slices.
void put_all(g* const* batch, std::uint32_t n) ROTA_REQUIRES(sched.mu) {
    // relaxed: changed under sched.mu
    if (sched.idle_p_count.load(memory_order_relaxed) != 0) return global_put_batch(batch, n);
    for (std::uint32_t i = 0; i < n; ++i) global_put_urgent(*batch[i]);
}

// Wakes an m if the owner of pp may need help with the `queued` goroutines, or with the events that
// its look has left to the kernel. Caller: the owner of pp.
void wake_for(const p& pp, std::uint32_t queued, bool has_left_some) {
    if (queued == 0 && !has_left_some) return;
    if (keeps_ready_local(pp)) return;
    if (queued > few || has_left_some) wakep();
    else wakep_later();
}

bool may_look() {
    return net_poller.has_waiters_hint() &&
           sched.last_poll.load(memory_order_relaxed) != 0;  // relaxed: looked at again
}

}  // namespace

found from_netpoll(m& self) {
    if (!may_look()) return {};
    ready_list ready;
    // A look full of events without waiters says nothing of the remaining events.
    constexpr std::size_t tries = poll_events_max / poll_at_once;
    std::size_t i = 0;
    do net_poller.look(ready);
    while (ready.count == 0 && ready.is_full && ++i < tries);
    note_look(*self.pp, nanotime(), ready);
    if (ready.count == 0) return {};
    g* runnable[2 * poll_events_max];
    const std::uint32_t n = make_all_runnable_on(*self.pp, ready, runnable);
    for (std::uint32_t i = 1; i < n; ++i) runq_put(*self.pp, *runnable[i], false);
    net_poller.discount_waiters(ready.count);
    if (n == 0) return {};
    wake_for(*self.pp, n - 1, ready.is_full);
    return {runnable[0]};
}

void poll_between(m& self) {
    p& pp = *self.pp;
    const std::uint32_t tick = pp.sched_tick.load(memory_order_relaxed);  // relaxed: our own
    if (tick % 61 != 0 || pp.poll_tick == tick || !may_look()) return;
    const std::int64_t now = nanotime();
    const bool slow = now - pp.poll_at > long_run_ns * (tick - pp.poll_tick);
    pp.poll_tick = tick;
    pp.poll_at = now;
    if (now - sched.last_poll.load(memory_order_relaxed) < poll_gap_ns) return;  // relaxed: advice
    ready_list ready;
    // If the next look is as far away as the last look, a small batch gives the waiters too few
    // turns.
    // relaxed: our own
    const bool is_far = now - pp.last_polled_at.load(memory_order_relaxed) >= poll_starved_ns;
    net_poller.look(ready, slow || is_far ? poll_events_max : poll_at_once);
    note_look(pp, now, ready);
    if (ready.count == 0) return;
    // Behind goroutines that compute, the ready goroutines would wait for long. Behind quick
    // goroutines this ring is cheapest. If more become ready than this p can run, however, its ring
    // is never empty again, and the goroutines that it has spilled into the global queue wait for
    // ever. So then queue behind those.
    if (slow) inject_ready(ready);
    else if (global_has_work() || runq_length(pp) > backlog) append_ready(self, ready);
    else queue_ready(self, ready);
}

void queue_ready(m& self, const ready_list& ready) {
    g* runnable[2 * poll_events_max];
    const std::uint32_t n = make_all_runnable_on(*self.pp, ready, runnable);
    for (std::uint32_t i = 0; i < n; ++i) runq_put(*self.pp, *runnable[i], false);
    net_poller.discount_waiters(ready.count);
    if (n > 0) wake_for(*self.pp, n - 1, ready.is_full);
}

void inject_ready(const ready_list& ready) {
    if (ready.count == 0) return;
    g* runnable[2 * poll_events_max];
    const std::uint32_t n = make_all_runnable(ready, runnable);
    if (n > 0) {
        {
            const lock_guard guard(sched.mu);
            put_all(runnable, n);
        }
        wakep();
    }
    // Last: until the deadlock detector sees these goroutines in the queue, it must count them as
    // waiters for a descriptor.
    net_poller.discount_waiters(ready.count);
}

void append_ready(m& self, const ready_list& ready) {
    g* runnable[2 * poll_events_max];
    const std::uint32_t n = make_all_runnable_on(*self.pp, ready, runnable);
    if (n > 0) {
        {
            const lock_guard guard(sched.mu);
            global_put_batch(runnable, n);
        }
        wake_for(*self.pp, n, ready.is_full);
    }
    net_poller.discount_waiters(ready.count);  // last: as in inject_ready
}

bool poll_if_stale(std::int64_t now, std::int64_t stale) {
    if (!net_poller.has_waiters_hint()) return false;
    std::int64_t last = sched.last_poll.load(memory_order_seq_cst);  // pairs(timer.poller)
    if (last == 0 || now - last < stale) return false;
    if (!sched.last_poll.cas(last, now, memory_order_seq_cst)) return false;  // pairs(timer.poller)
    ready_list ready;
    net_poller.look(ready, poll_events_max);  // other ms run them, at any time
    inject_ready(ready);
    // An idle m could sleep in the poller, where it would see the next event at once: wake it.
    const bool is_anyone_idle =
        sched.idle_p_count.load(memory_order_relaxed) != 0;  // relaxed: a hint
    if (is_anyone_idle && !has_busy_poller()) wakep();
    return true;
}

bool is_poller_needed() {
    if (net_poller.has_waiters()) return true;
    for (std::int32_t i = 0; i < proc_count(); ++i) {
        if (sched.allp[i]->timers.bound() != 0) return true;
    }
    return false;
}

}  // namespace rota::rt
