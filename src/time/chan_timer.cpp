// Timers that send: each is a channel for one value, which the clock feeds.
//
// The channel's lock is the timer's. Stop and reset hold it while they take the timer out of the
// heap, void a value that has come due and is not delivered yet, and empty the buffer. A value
// under way is delivered under the same lock, and only if no stop or reset has voided it. So no old
// value can be received once they have returned. Go: runtime/time.go, timer.stop, timer.modify. Its
// channels do without a buffer's value instead, and keep timers on whose channel no goroutine waits
// out of the heap.
//
//     heap: claim ── due := true, in_flight + 1 ──► run: lock the channel; due true -> false: send;
//                                                      unlock; in_flight - 1
//     stop: lock the channel; out of the heap; due := false; empty the buffer; unlock
//
// A timer that is due when it is set does not enter the heap: the goroutine that sets it delivers
// at once, and no batch, no poller and no other m hears of it. Go: timer.maybeRunChan, at the
// channel's operations.
//
// Timer and channel are one block, and the channel's references are the timer's: when the last
// reference goes, no goroutine can receive. The goroutine that drops it stops the timer and waits
// until no run() is in flight, which never takes longer than a delivery.
#include <cstddef>
#include <new>

#include "arch/context.hpp"
#include "chan/hchan.hpp"
#include "core/getg.hpp"
#include "core/sched.hpp"
#include "sched/base/blocks.hpp"
#include "sched/base/bubble.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/base/wakeup.hpp"
#include "sched/queue/timers.hpp"
#include "sys/thread/thread.hpp"
#include "time/timer_block.hpp"

namespace rota::detail {

using namespace rota::rt;

namespace {

struct chan_timer : timer_block, hchan {
    chan_timer() : timer_block(kind::sends) {}

    // --- guarded by mu ---------------------------------------------------------------
    bool armed = false;      // started since the last stop: it may be in the heap or in flight
    std::int64_t value = 0;  // the channel's buffer

    // --- see above --------------------------------------------------------------------
    atomic<bool> due{false};  // relaxed: the heap's lock and mu order it
    atomic<std::uint32_t> in_flight{0};
};

chan_timer& of(timer_block& b) { return static_cast<chan_timer&>(b); }

// Runs under the heap's lock.
void* claim(rt::timer& t) {
    chan_timer& ct = *static_cast<chan_timer*>(t.arg);
    ct.in_flight.fetch_add(1, memory_order_relaxed);  // relaxed: a thread that waits for 0 stops t
                                                      // first
    ct.due.store(true, memory_order_relaxed);         // relaxed: see due
    return &ct;
}

void deliver(void* arg) {
    chan_timer& ct = *static_cast<chan_timer*>(arg);
    // The clock is read once the value cannot be voided any more. Read before, it could give a time
    // before a reset, and the receiver would take that value for the reset's own.
    (void)chan_feed(ct, current_now, ct.due);
    ct.in_flight.fetch_sub(1, memory_order_release);  // pairs(timer.in_flight); ct may be gone now
}

// The last reference has gone.
void destroy(hchan* c) ROTA_NO_TSA {  // only the clock can still reach the timer
    // In the child of a fork, which ends, nothing delivers and no lock may be taken: a static timer
    // stays as it is.
    if (sched.forked.load(memory_order_relaxed)) return;  // relaxed: set in the only thread
    chan_timer& ct = static_cast<chan_timer&>(*c);
    if (chan_report_waiters(*c, "channel of a timer")) return;
    {
        const runtime_entry inside;
        if (ct.armed) (void)stop_timer(ct.t);
        int tries = 0;
        while (ct.in_flight.load(memory_order_acquire) != 0) {  // pairs(timer.in_flight)
            procyield(30);
            if (++tries > 100) thread_yield();
        }
    }
    ct.~chan_timer();
    block_delete(&ct, sizeof ct);
}

// Stops the timer and voids a value under way. True if there was a start or a value to end.
bool void_all(chan_timer& ct) ROTA_REQUIRES(ct.mu) {
    if (!ct.armed) return false;
    ct.armed = false;
    const bool running = stop_timer(ct.t);
    const bool undelivered = ct.due.load(memory_order_relaxed) &&  // relaxed, both: see due
                             ct.due.exchange(false, memory_order_relaxed);
    const bool unreceived = chan_drain(ct);
    return running || undelivered || unreceived;
}

// Whether ct comes due while it is set. A timer made in a bubble comes due by the bubble's clock,
// and a timer made outside by the real clock, whichever goroutine sets it.
bool is_due_at_once(const chan_timer& ct, std::int64_t ns) ROTA_REQUIRES(ct.mu) {
    return ns <= 0 && ct.made_in == current_bubble();
}

// Marks ct as due; deliver_at_once() then sends, without the lock.
void mark_due(chan_timer& ct) ROTA_REQUIRES(ct.mu) {
    ct.armed = true;
    ct.due.store(true, memory_order_relaxed);  // relaxed: under mu
}

// Sends unless a stop or reset has voided the value meanwhile. Caller: has a reference, so that
// destroy() cannot run meanwhile.
void deliver_at_once(chan_timer& ct) {
    note_due_at_once(ct.t);
    (void)chan_feed(ct, current_now, ct.due);
}

// Starts the timer. True: the caller must tell the poller, after it has released the lock.
[[nodiscard]] bool arm(chan_timer& ct, std::int64_t when, std::int64_t period)
    ROTA_REQUIRES(ct.mu) {
    ct.armed = true;
    return start_timer_quietly(ct.t, when, period);
}

}  // namespace

// no other thread knows it yet
timer_block* chan_timer_new(std::int64_t ns, bool periodic) ROTA_NO_TSA {
    static_assert(alignof(chan_timer) <= cache_line);
    auto* const ct = new (block_new(sizeof(chan_timer))) chan_timer;
    const runtime_entry inside;
    ct->t.arg = ct;
    ct->t.run = deliver;
    ct->t.claim = claim;
    chan_embed(*ct, reinterpret_cast<std::byte*>(&ct->value), sizeof ct->value, 1, destroy);
    if (is_due_at_once(*ct, ns)) {
        mark_due(*ct);
        deliver_at_once(*ct);
        return ct;
    }
    ct->armed = true;
    start_new_timer(ct->t, moment_in(current_now(), ns), periodic ? ns : 0);
    return ct;
}

bool chan_timer_stop(timer_block& b) {
    chan_timer& ct = of(b);
    const runtime_entry inside;
    const detail::chan_guard guard(ct);
    return void_all(ct);
}

bool chan_timer_reset(timer_block& b, std::int64_t ns, bool periodic) {
    chan_timer& ct = of(b);
    const runtime_entry inside;
    const std::int64_t when = moment_in(current_now(), ns);
    bool was = false;
    bool at_once = false;
    bool earlier = false;
    {
        const detail::chan_guard guard(ct);
        was = void_all(ct);
        at_once = is_due_at_once(ct, ns);
        if (at_once) mark_due(ct);
        else earlier = arm(ct, when, periodic ? ns : 0);
    }
    if (at_once) deliver_at_once(ct);
    if (earlier) wake_poller(when);
    return was;
}

void chan_timer_retain(timer_block& b) noexcept { chan_retain(&of(b)); }
void chan_timer_release(timer_block& b) noexcept {
    hchan* const c = &of(b);
    // No reference can be added to the last, which is the caller's.
    if (c->refs.load(memory_order_acquire) == 1) return destroy(c);  // pairs(chan.refs)
    chan_release(c);
}
hchan* chan_timer_channel(timer_block& b) noexcept { return &of(b); }

}  // namespace rota::detail
