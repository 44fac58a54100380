// Waiting on several channels at once. Go: selectgo.
//
//   look    without a lock, through the cases: a case that looks ready is tried under its own
//           lock. A select that has something to do thus takes one lock for any number of cases.
//   poll    every channel locked, in the order of their addresses, each once: the same again, and
//           "none is ready" is true of one moment. A select with a default ends here.
//   enqueue a sudog in each channel's queue, with one claim for the select (chan/waitq.hpp), then
//           park. The locks are released once the registers are saved.
//   dequeue the claim names the winning case. The sudogs of the losing cases are taken out of the
//           middle of their queues, each under its own channel's lock.
//
// Go shuffles the cases and takes the first that is ready. Here one walk draws among the ready
// cases as it meets them, each with the same chance. It needs a random number only if two are
// ready.
//
// The frame outlives the release of the locks. A waker may get in by the lock released first and
// ready the select, which must take every other lock to remove its sudogs; the waker's own lock is
// released already. So the thread that releases the locks touches nothing of the frame after the
// last release.
#include <algorithm>
#include <functional>
#include <new>
#include <utility>

#include <rota/detail/select_engine.hpp>

#include "chan/awaited.hpp"
#include "chan/transfer.hpp"
#include "sched/base/bubble.hpp"
#include "sched/base/runtime_entry.hpp"

namespace rota::detail {

using namespace rota::rt;

namespace {

static_assert(sizeof(chan_sudog) <= sizeof(select_case::place) &&
              alignof(chan_sudog) <= alignof(void*));

chan_sudog& sudog_of(select_case& s) {
    return *std::launder(reinterpret_cast<chan_sudog*>(s.place));
}

waitq& queue_of(select_case& s) ROTA_NO_TSA {  // takes its address only
    return s.is_send ? s.chan->sendq : s.chan->recvq;
}

ROTA_ALWAYS_INLINE bool is_ready(const select_case& s) {
    return s.chan != nullptr && (s.is_send ? s.chan->is_sendable() : s.chan->is_receivable());
}

// Draws one of the cases that look ready, each with the same chance: the k-th ready case replaces
// the case drawn before with probability 1/k.
ROTA_ALWAYS_INLINE std::uint32_t draw_ready(const select_frame& f, m& self) {
    std::uint32_t chosen = select_none;
    std::uint32_t met = 0;
    for (std::uint32_t i = 0; i < f.n; ++i) {
        if (!is_ready(f.cases[i])) continue;
        if (++met == 1 || self.rand.below(met) == 0) chosen = i;
    }
    return chosen;
}

ROTA_ALWAYS_INLINE chan_result attempt(select_case& s, chan_sudog*& peer)
    ROTA_REQUIRES(s.chan->mu) {
    return s.is_send ? attempt_send(*s.chan, s.elem, peer, own_bias())
                     : attempt_recv(*s.chan, s.elem, peer, own_bias());
}

std::uint32_t sort_many(const select_frame& f) {
    hchan** end = f.order;
    for (std::uint32_t i = 0; i < f.n; ++i) {
        if (f.cases[i].chan != nullptr) *end++ = f.cases[i].chan;
    }
    std::sort(f.order, end, std::less<>());
    return static_cast<std::uint32_t>(std::unique(f.order, end) - f.order);
}

// Fills f.order with the channels of the cases, each once, by address; returns their number.
ROTA_ALWAYS_INLINE std::uint32_t sort_channels(const select_frame& f) {
    if (f.n != 2) return sort_many(f);  // most selects have two
    hchan* const a = f.cases[0].chan;
    hchan* const b = f.cases[1].chan;
    if (a == nullptr || b == nullptr || a == b) return sort_many(f);
    const bool a_first = std::less<>()(a, b);
    f.order[0] = a_first ? a : b;
    f.order[1] = a_first ? b : a;
    return 2;
}

void lock_all(hchan** order, std::uint32_t count) ROTA_NO_TSA {  // a variable number of locks
    if (count == 0) return;
    const std::uint32_t mine = getm().bias;
    order[0]->mu.acquire_by(mine);
    for (std::uint32_t i = 1; i < count; ++i) order[i]->mu.acquire_another_by(mine);
}

void unlock_all(hchan** order, std::uint32_t count) ROTA_NO_TSA {  // as above
    if (count == 0) return;
    for (std::uint32_t i = count; --i > 0;) order[i]->mu.release_another();
    order[0]->mu.release();
}

// Caller: holds the locks of every channel; they are released if a case runs.
select_result poll(const select_frame& f, std::uint32_t count, m& self) ROTA_NO_TSA {  // as above
    for (;;) {
        const std::uint32_t i = draw_ready(f, self);
        if (i == select_none) return {select_none, false};
        chan_sudog* peer = nullptr;
        const chan_result r = attempt(f.cases[i], peer);
        // The queue held only goroutines woken elsewhere, and is empty after this attempt: every
        // round but the last empties one queue.
        if (r == chan_result::would_block) continue;
        unlock_all(f.order, count);
        if (peer != nullptr) wake(*peer, true);
        return {i, r == chan_result::ok};
    }
}

bool commit_unlock_all(g&, void* arg) {
    const selected_channels s = *static_cast<selected_channels*>(arg);
    unlock_all(s.order, s.count);
    return true;
}

// Caller: holds the locks of every channel.
ROTA_ALWAYS_INLINE void enqueue_case(select_case& s, g& gp) ROTA_NO_TSA {  // as above
    queue_of(s).enqueue(sudog_of(s));
    s.chan->update_fast_ways();
    if (ROTA_UNLIKELY(gp.is_in_bubble) && is_made_outside(gp, s.chan->made_in))
        gp.waits_outside = true;
}

// Where several cases wait in one queue, the first in that queue wins; each must have the same
// chance. So the cases are enqueued in a drawn order, as in Go. The order is kept in the sudogs'
// numbers until each case is in its queue; no thread reads the numbers before the locks are
// released. Caller: holds the locks of every channel.
ROTA_NOINLINE void enqueue_in_any_order(const select_frame& f, m& self) {
    for (std::uint32_t i = f.n; i > 1; --i) {
        const std::uint32_t other = self.rand.below(i);
        std::swap(sudog_of(f.cases[i - 1]).number, sudog_of(f.cases[other]).number);
    }
    for (std::uint32_t i = 0; i < f.n; ++i) {
        select_case& s = f.cases[sudog_of(f.cases[i]).number];
        if (s.chan != nullptr) enqueue_case(s, *self.curg);
    }
    for (std::uint32_t i = 0; i < f.n; ++i) sudog_of(f.cases[i]).number = i;
}

// Caller: holds the locks of every channel; they are released.
ROTA_NOINLINE select_result park_on_all(const select_frame& f,
                                        std::uint32_t count) ROTA_NO_TSA {  // as above
    atomic<std::uint32_t> claim{claim_open};
    m& self = getm();
    g* const gp = self.curg;
    selected_channels locked{f.order, count, 0};
    for (std::uint32_t i = 0; i < f.n; ++i) {
        select_case& s = f.cases[i];
        chan_sudog& me = *new (s.place) chan_sudog;
        me.gp = gp;
        me.elem = s.elem;
        me.number = i;
        me.claim = &claim;
        if (s.chan != nullptr) ++locked.places;
    }
    if (ROTA_UNLIKELY(locked.places > count)) {
        enqueue_in_any_order(f, self);
    } else {
        for (std::uint32_t i = 0; i < f.n; ++i)
            if (f.cases[i].chan != nullptr) enqueue_case(f.cases[i], *gp);
    }
    gopark(commit_unlock_all, &locked, wait_reason::select);

    const std::uint32_t won = claim.load(memory_order_relaxed);  // relaxed: goready passed it on
    ROTA_CHECK(won < f.n);
    for (std::uint32_t i = 0; i < f.n; ++i) {
        select_case& s = f.cases[i];
        if (s.chan == nullptr || i == won) continue;
        const chan_guard guard(*s.chan);
        if (queue_of(s).remove(sudog_of(s))) s.chan->update_fast_ways();
    }
    return {won, sudog_of(f.cases[won]).success};
}

// Tries one case that looks ready, with its own channel's lock alone.
ROTA_ALWAYS_INLINE select_result try_one(const select_frame& f, m& self) {
    const std::uint32_t i = draw_ready(f, self);
    if (i == select_none) return {select_none, false};
    select_case& s = f.cases[i];
    chan_sudog* peer = nullptr;
    lock_chan(*s.chan);
    const chan_result r = attempt(s, peer);
    s.chan->mu.release();
    if (peer != nullptr) wake(*peer, true);
    if (r == chan_result::would_block) return {select_none, false};
    return {i, r == chan_result::ok};
}

template <bool Waits>
ROTA_ALWAYS_INLINE select_result run_one(const select_frame& f) ROTA_NO_TSA {  // as above
    const runtime_entry inside;
    m& self = getm();
    select_result r = try_one(f, self);
    if (r.index != select_none) return r;
    const std::uint32_t count = sort_channels(f);
    if (Waits && count == 0) block_for_ever(wait_reason::select);
    lock_all(f.order, count);
    r = poll(f, count, self);
    if (r.index != select_none) return r;
    if (Waits) return park_on_all(f, count);
    unlock_all(f.order, count);
    return r;
}

}  // namespace

select_result select_wait(const select_frame& f) { return run_one<true>(f); }

select_result select_try(const select_frame& f) { return run_one<false>(f); }

std::uint32_t select_guess(const select_frame& f) {
    const runtime_entry inside;
    return draw_ready(f, getm());
}

std::uint32_t select_look(const select_frame& f) ROTA_NO_TSA {  // as above
    const runtime_entry inside;
    const std::uint32_t count = sort_channels(f);
    lock_all(f.order, count);
    const std::uint32_t i = draw_ready(f, getm());
    unlock_all(f.order, count);
    return i;
}

void select_for_ever() {
    const runtime_entry inside;
    block_for_ever(wait_reason::select_no_cases);
}

}  // namespace rota::detail
