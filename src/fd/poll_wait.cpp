// Parks goroutines until a descriptor is ready, and sets deadlines.
#include "fd/poll_wait.hpp"

#include <cerrno>
#include <limits>

#include "core/getg.hpp"
#include "fd/error_closed.hpp"
#include "netpoll/poller.hpp"
#include "sched/base/bubble.hpp"
#include "sched/base/park.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/base/wakeup.hpp"
#include "sched/queue/timers.hpp"
#include "sys/call/clock.hpp"

namespace rota::rt {

namespace {

// gp has been taken out of its word, or is null.
void let_go(g* gp) {
    if (gp == nullptr) return;
    goready(*gp);
    net_poller.discount_waiters(1);  // last: see is_deadlocked
}

// Runs under the heap's lock: takes none.
void* claim_expired(timer& t) { return static_cast<poll_word*>(t.arg)->expire(); }

void ready_expired(void* gp) { let_go(static_cast<g*>(gp)); }

// Stops the timer, if it may be started. An effect that it had before stays.
void stop_limit(poll_desc& d, std::uint8_t i) ROTA_REQUIRES(d.mu) {
    if (!d.has_limit[i]) return;
    (void)stop_timer(d.limit[i]);
    // The timer is in no heap. The next deadline may be set on another p, or outside of the bubble.
    d.limit[i].home.store(nullptr, memory_order_relaxed);  // relaxed: as has_limit, under d.mu
    d.has_limit[i] = false;
}

// The same moment of the real clock; never 0. A caller in no bubble uses the real clock already.
std::int64_t by_real_clock(std::int64_t when) {
    const g& me = *getm().curg;
    if (ROTA_LIKELY(me.in == nullptr)) return when;
    std::int64_t left = 0;
    std::int64_t real = 0;
    if (__builtin_sub_overflow(when, bubble_now(me), &left) ||
        __builtin_add_overflow(nanotime(), left, &real))
        return when > 0 ? std::numeric_limits<std::int64_t>::max() : 1;
    return real > 0 ? real : 1;
}

}  // namespace

int poll_error_of(poll_word::state s) {
    switch (s) {
        case poll_word::state::expired: return ETIMEDOUT;
        case poll_word::state::closed: return error_closed;
        case poll_word::state::none:
        case poll_word::state::ready: break;
    }
    return 0;
}

// Counts the waiter first: while the count is 0 no m would poll.
bool begin_poll_wait(g& gp, void* word) {
    const bool is_thread = gp.is_thread;  // a goroutine may run elsewhere once it is armed
    net_poller.count_waiter();
    if (!static_cast<poll_word*>(word)->arm(gp)) {
        net_poller.discount_waiters(1);
        return false;
    }
    if (is_thread) want_poller();
    return true;
}

void note_ready() {
    const runtime_entry inside;
    note_ready_inside();
}

int poll_wait(poll_desc& d, poll_dir dir) {
    poll_word& word = d[dir];
    for (;;) {
        const poll_word::state s = word.take();
        if (s == poll_word::state::ready) note_ready();
        if (s != poll_word::state::none) return poll_error_of(s);
        const runtime_entry inside;
        gopark(begin_poll_wait, &word, wait_reason::io_wait);
    }
}

namespace {

// Ends a wait by the bit `ready`, which may be set once too often (netpoll/poll_word.hpp). The
// descriptor's deadline stays as the program has set it.
struct poll_alarm {
    timer when_over;
    poll_word& word;
    atomic<bool> has_rung{false};

    explicit poll_alarm(poll_word& w) : word(w) {}

    // Runs under the heap's lock: takes none.
    static void* claim(timer& t) {
        auto& self = *static_cast<poll_alarm*>(t.arg);
        self.has_rung.store(true, memory_order_relaxed);  // relaxed: stop_timer orders
        return self.word.ready();
    }
};

}  // namespace

int poll_wait_at_most(poll_desc& d, poll_dir dir, std::int64_t ns, bool& is_over) {
    is_over = false;
    poll_word& word = d[dir];
    const poll_word::state s = word.take();
    if (s == poll_word::state::ready) note_ready();
    if (s != poll_word::state::none) return poll_error_of(s);
    poll_alarm alarm(word);
    alarm.when_over.arg = &alarm;
    alarm.when_over.claim = poll_alarm::claim;
    alarm.when_over.run = ready_expired;
    std::int64_t end = 0;
    if (__builtin_add_overflow(nanotime(), ns, &end))
        end = std::numeric_limits<std::int64_t>::max();
    {
        const runtime_entry inside;
        const outside_bubble in_real_time;
        start_new_timer(alarm.when_over, end);
    }
    const int error = poll_wait(d, dir);
    {
        const runtime_entry inside;
        (void)stop_timer(alarm.when_over);
    }
    is_over = alarm.has_rung.load(memory_order_relaxed);  // relaxed: stop_timer orders
    return error;
}

// Descriptor events come from outside of any bubble, so their deadlines are real time. The caller
// means as long from now as its own clock says.
void poll_set_deadline(poll_desc& d, poll_dir dir, std::int64_t when) {
    if (when != 0) when = by_real_clock(when);
    const outside_bubble in_real_time;
    const auto i = static_cast<std::uint8_t>(dir);
    poll_word& word = d[dir];
    g* late = nullptr;
    bool earlier = false;
    {
        const lock_guard guard(d.mu);
        if (d.evicted) return;
        stop_limit(d, i);
        word.unexpire();
        if (when != 0 && when <= nanotime()) {
            late = word.expire();
        } else if (when != 0) {
            d.limit[i].arg = &word;
            d.limit[i].claim = claim_expired;
            d.limit[i].run = ready_expired;
            d.has_limit[i] = true;
            earlier = start_timer_quietly(d.limit[i], when);
        }
    }
    let_go(late);
    if (earlier) wake_poller(when);
}

void poll_evict(poll_desc& d) {
    g* waiters[2] = {};
    {
        const lock_guard guard(d.mu);
        if (d.evicted) return;
        d.evicted = true;
        for (std::uint8_t i = 0; i < 2; ++i) {
            stop_limit(d, i);
            waiters[i] = d.word[i].close();
        }
    }
    for (g* const gp : waiters) let_go(gp);
}

}  // namespace rota::rt
