// Implements the ps' run queues and the global queue. docs/memory_order.md, "runq", has the proof
// of each edge.
#include "sched/queue/run_queue.hpp"

#include <algorithm>

#include "arch/context.hpp"
#include "base/probe.hpp"
#include "netpoll/poll_desc.hpp"
#include "sched/base/modes.hpp"
#include "sched/queue/suspended_queue.hpp"
#include "sys/call/clock.hpp"
#include "sys/thread/asymmetric.hpp"

namespace rota::rt {

namespace {

constexpr std::uint32_t ring_mask = p::runq_size - 1;

// Moves half of pp's full ring, and gp behind it, to the global queue. False if thieves have made
// room meanwhile.
bool put_slow(p& pp, g& gp, std::uint32_t head, std::uint32_t tail) {
    g* batch[p::runq_size / 2 + 1];
    const std::uint32_t n = (tail - head) / 2;
    ROTA_CHECK(n == p::runq_size / 2);
    // relaxed: the owner, this thread, stored them
    for (std::uint32_t i = 0; i < n; ++i)
        batch[i] = pp.runq[(head + i) & ring_mask].load(memory_order_relaxed);
    if (!pp.runq_head.cas(head, head + n, memory_order_release))
        return false;  // pairs(runq.consume)
    batch[n] = &gp;
    if (ROTA_UNLIKELY(chaos.on)) chaos_shuffle(batch, n + 1);
    const lock_guard guard(sched.mu);
    // relaxed, all: written under sched.mu
    const bool only_ours = sched.runq_size.load(memory_order_relaxed) == 0 ||
                           sched.spiller.load(memory_order_relaxed) == &pp;
    global_put_batch(batch, n + 1);
    if (only_ours) sched.spiller.store(&pp, memory_order_relaxed);
    return true;
}

// Where gp has stopped. A hint: gp may run if another m has taken it meanwhile.
ROTA_READS_RACING std::uintptr_t stopped_at(const g* gp) {
    return reinterpret_cast<std::uintptr_t>(gp->sched.sp);
}

// A hint as well: the word of the descriptor that gp has waited for, which gp reads first. It is a
// lock of the table of semaphores if gp has waited for its turn at a descriptor (fd/fd_mutex); or
// null.
ROTA_READS_RACING const void* polled_word(const g* gp) {
    return gp->why == wait_reason::io_wait ? gp->park_arg : nullptr;
}

// Takes an address as a number: no object of this thread lies there.
template <int from, int to>
ROTA_ALWAYS_INLINE void prefetch_lines(std::uintptr_t at) {
#pragma GCC unroll 8
    for (int line = from; line < to; ++line) {
        const auto distance = static_cast<std::uintptr_t>(line * static_cast<int>(cache_line));
        __builtin_prefetch(reinterpret_cast<const void*>(at + distance), 1);
    }
}

// Goroutines that have not run for long are in no cache. Prefetch in three steps: first the line of
// the header that a switch touches, and the lines right below it. Once these are there, prefetch
// the word that the goroutine has waited for (descriptors only). Then prefetch what lies beside
// that word, and the frames in which the goroutine waits, if they are somewhere else. The frames
// include room for a call: the outermost frame may have a buffer.
constexpr int lines_below = 4;
ROTA_ALWAYS_INLINE void prefetch_header(const g* gp) {
    prefetch_lines<-lines_below, 1>(reinterpret_cast<std::uintptr_t>(gp));
}
ROTA_ALWAYS_INLINE void prefetch_word(const g* gp) {
    if (const void* const word = polled_word(gp)) __builtin_prefetch(word, 1);
}
ROTA_ALWAYS_INLINE void prefetch_frames(const g* gp) {
    const std::uintptr_t frames = stopped_at(gp);
    if (reinterpret_cast<std::uintptr_t>(gp) - frames > lines_below * cache_line)
        prefetch_lines<-2, 4>(frames);
}

// Processors wait for the page of a line that they prefetch, but look several pages up at the same
// time. So this fetches the pages of several goroutines together, before their lines. It takes
// those behind the next `page_batch`, when the head is at a multiple of page_batch.
constexpr std::uint32_t page_batch = 8;
void prefetch_pages(const p& pp, std::uint32_t head, std::uint32_t tail) {
    const std::uint32_t n = std::min(tail - head, 2 * page_batch);
    // relaxed: a hint
    for (std::uint32_t i = page_batch; i < n; ++i)
        __builtin_prefetch(pp.runq[(head + i) & ring_mask].load(memory_order_relaxed), 1);
}

bool ring_put(p& pp, g& gp, std::uint32_t& head, std::uint32_t& tail) {
    head = pp.runq_head.load(memory_order_acquire);  // pairs(runq.consume)
    tail = pp.runq_tail.load(memory_order_relaxed);  // relaxed: the owner is its only writer
    ROTA_CHECK(tail - head <= p::runq_size);
    if (tail - head == p::runq_size) return false;
    pp.runq[tail & ring_mask].store(&gp,
                                    memory_order_relaxed);  // relaxed: published by the next line
    pp.runq_tail.store(tail + 1, memory_order_release);     // pairs(runq.publish)
    return true;
}

// Copies up to half of victim's ring, and at most `most`, to thief's slots from `to` on. Returns
// how many.
std::uint32_t grab(p& victim, p& thief, std::uint32_t to, std::uint32_t most) {
    for (;;) {
        std::uint32_t head = victim.runq_head.load(memory_order_acquire);  // pairs(runq.consume)
        const std::uint32_t tail =
            victim.runq_tail.load(memory_order_acquire);  // pairs(runq.publish)
        std::uint32_t n = tail - head;
        n -= n / 2;
        if (n == 0) return 0;
        if (n > p::runq_size / 2) continue;  // head and tail are from different moments
        if (n > most) n = most;
        for (std::uint32_t i = 0; i < n; ++i) {
            g* gp = victim.runq[(head + i) & ring_mask].load(
                memory_order_relaxed);  // relaxed: see head and tail
            thief.runq[(to + i) & ring_mask].store(
                gp, memory_order_relaxed);  // relaxed: published by steal
        }
        if (victim.runq_head.cas(head, head + n, memory_order_acq_rel))
            return n;  // pairs(runq.consume)
    }
}

// Takes victim's runnext if the victim is not about to run it.
g* grab_runnext(p& victim) {
    g* const next = victim.runnext.load(memory_order_acquire);  // pairs(runq.next)
    if (next == nullptr) return nullptr;
    if (victim.status.load(memory_order_relaxed) == p_status::running) {  // relaxed: a hint
        // The victim's p is at work: it readied this g a moment ago and will most likely block and
        // run it. A steal would only carry the g from core to core. Go sleeps for 3 µs here.
        const std::int64_t until = nanotime() + 10000;
        while (nanotime() < until) {
            procyield(10);
            if (victim.runnext.load(memory_order_relaxed) != next)
                return nullptr;  // relaxed: a hint
        }
    }
    // The gate admits one thief. After restart_owners, an owner that has not seen the gate shut is
    // done or begins anew. Until the gate opens, owner and thief both use locked instructions.
    if (!victim.runnext_gate.cas(0, 1, memory_order_acquire)) return nullptr;  // pairs(runq.gate)
    restart_owners();
    const bool taken = victim.runnext.cas(next, nullptr, memory_order_acq_rel);  // pairs(runq.next)
    victim.runnext_gate.store(0, memory_order_release);                          // pairs(runq.gate)
    return taken ? next : nullptr;
}

}  // namespace

void runq_put_last(p& pp, g& gp) {
    std::uint32_t head = 0;
    std::uint32_t tail = 0;
    while (!ring_put(pp, gp, head, tail)) {
        if (put_slow(pp, gp, head, tail)) return;
    }
}

void runq_put(p& pp, g& gp, bool next) {
    if (next) return runq_put_next(pp, gp);
    ROTA_DCHECK(readgstatus(gp) == g_status::runnable);
    runq_put_last(pp, gp);
}

g* runq_get(p& pp, bool& inherit) {
    g* const next = runq_get_next(pp);
    inherit = next != nullptr;
    return next != nullptr ? next : runq_get_first(pp);
}

g* runq_get_first(p& pp) {
    for (;;) {
        std::uint32_t head = pp.runq_head.load(memory_order_acquire);  // pairs(runq.consume)
        const std::uint32_t tail =
            pp.runq_tail.load(memory_order_relaxed);  // relaxed: the owner is its only writer
        if (tail == head) return nullptr;
        g* const gp =
            pp.runq[head & ring_mask].load(memory_order_relaxed);  // relaxed: the owner stored it
        const void* word = nullptr;  // the polled word of the next goroutine but one
        if (tail - head > 3) {
            // relaxed, all: hints
            prefetch_header(pp.runq[(head + 3) & ring_mask].load(memory_order_relaxed));
            prefetch_word(pp.runq[(head + 2) & ring_mask].load(memory_order_relaxed));
            const g* const following = pp.runq[(head + 1) & ring_mask].load(memory_order_relaxed);
            prefetch_frames(following);
            word = polled_word(following);
            if (head % page_batch == 0) prefetch_pages(pp, head, tail);
        }
        if (proc_count() == 1) {                                 // no thieves
            pp.runq_head.store(head + 1, memory_order_release);  // pairs(runq.consume)
        } else if (!pp.runq_head.cas(head, head + 1, memory_order_release)) {
            continue;  // pairs(runq.consume)
        }
        // The owner still held `following` when its exchange of the head succeeded. So `word` is
        // what `following` has waited for, and no guess any more: such memory is never given back.
        // (In the table of semaphores the address beside it is of no use.)
        if (word != nullptr) __builtin_prefetch(beside_poll_word(word), 1);
        return gp;
    }
}

g* runq_steal(p& thief, p& victim, bool take_runnext, std::uint32_t most) {
    const std::uint32_t tail =
        thief.runq_tail.load(memory_order_relaxed);  // relaxed: the owner is its only writer
    std::uint32_t n = grab(victim, thief, tail, most);
    if (n == 0) {
        g* const next = take_runnext ? grab_runnext(victim) : nullptr;
        if (next != nullptr) {
            bump(thief.counts.steals);
            bump(thief.counts.stolen);
            ROTA_PROBE2("go_steal", "-4", thief.id, "-4", victim.id);
        }
        return next;
    }
    bump(thief.counts.steals);
    bump(thief.counts.stolen, std::uint64_t{n});
    ROTA_PROBE2("go_steal", "-4", thief.id, "-4", victim.id);
    --n;
    // relaxed: the owner stored it
    g* const gp = thief.runq[(tail + n) & ring_mask].load(memory_order_relaxed);
    if (n == 0) return gp;
    const std::uint32_t head = thief.runq_head.load(memory_order_acquire);  // pairs(runq.consume)
    ROTA_CHECK(tail - head + n <= p::runq_size);
    thief.runq_tail.store(tail + n, memory_order_release);  // pairs(runq.publish)
    return gp;
}

bool runq_empty(const p& pp) {
    // runnext first: a g that the owner has moved from runnext to the ring, before it emptied
    // runnext, is then visible in the tail.
    return pp.runnext.load(memory_order_acquire) == nullptr &&
           runq_ring_empty(pp);  // pairs(runq.next)
}

bool runq_ring_empty(const p& pp) {
    const std::uint32_t tail = pp.runq_tail.load(memory_order_acquire);  // pairs(runq.publish)
    return pp.runq_head.load(memory_order_acquire) == tail;              // pairs(runq.consume)
}

void runq_put_next_last(p& pp) {
    // A thief may empty the slot at any time, so the owner exchanges too.
    g* const next = owner_exchange<g>(pp.runnext_gate, pp.runnext, nullptr);  // pairs(runq.next)
    if (next != nullptr) runq_put(pp, *next, false);
}

// Relaxed, both: to the owner the tail is exact, and an old head only hides some room; to another
// thread the length is a report.
std::uint32_t runq_ring_length(const p& pp) {
    const std::uint32_t head = pp.runq_head.load(memory_order_relaxed);  // relaxed: as above
    const std::uint32_t tail = pp.runq_tail.load(memory_order_relaxed);  // relaxed: as above
    return tail - head <= p::runq_size ? tail - head : 0;
}

std::uint32_t runq_length(const p& pp) {
    // relaxed: a report
    return runq_ring_length(pp) + (pp.runnext.load(memory_order_relaxed) != nullptr ? 1 : 0);
}

runq_look runq_members(const p& pp, const g** in_ring) {
    const std::uint32_t head = pp.runq_head.load(memory_order_acquire);  // pairs(runq.consume)
    const std::uint32_t tail = pp.runq_tail.load(memory_order_acquire);  // pairs(runq.publish)
    runq_look look{0, nullptr};
    // Between the two loads the owner may have gone far: more than a full ring is no queue.
    if (tail - head <= p::runq_size) {
        for (std::uint32_t i = head; i != tail; ++i)  // relaxed: published by the tail
            in_ring[look.count++] = pp.runq[i % p::runq_size].load(memory_order_relaxed);
    }
    look.next = pp.runnext.load(memory_order_acquire);  // pairs(runq.next)
    return look;
}

void note_computed(p& pp, std::int64_t now) {
    pp.computed_at = now;
    pp.computed_tick = pp.sched_tick.load(memory_order_relaxed);  // relaxed: written by this thread
}

bool are_turns_long(const p& pp, std::int64_t now) {
    constexpr std::int64_t a_while = 50'000'000;
    constexpr std::uint32_t a_few = 16;
    // relaxed: written by this thread
    return now - pp.computed_at < a_while ||
           pp.sched_tick.load(memory_order_relaxed) - pp.computed_tick < a_few;
}

void global_put(g& gp) {
    ROTA_DCHECK(readgstatus(gp) == g_status::runnable);
    sched.runq.push(gp);
    not_only_spilled();
    publish_global_size();
}

void global_put_urgent(g& gp) {
    ROTA_DCHECK(readgstatus(gp) == g_status::runnable);
    sched.urgent.push(gp);
    sched.urgent_waits.store(true, memory_order_relaxed);  // relaxed: advice
    publish_global_size();
}

void global_put_early(g& gp) {
    constexpr std::uint32_t always = 8;
    if (sched.urgent.size() < always + sched.runq.size() + sched.suspended_count)
        global_put_urgent(gp);
    else global_put(gp);
}

void global_put_batch(g* const* batch, std::uint32_t n) {
    for (std::uint32_t i = 0; i < n; ++i) sched.runq.push(*batch[i]);
    not_only_spilled();
    publish_global_size();
}

namespace {

// Moves n goroutines from the head of `from` to pp's ring, which has the room. Caller: the owner.
void move_to_ring(p& pp, global_queue& from, std::uint32_t n) {
    const std::uint32_t tail =
        pp.runq_tail.load(memory_order_relaxed);  // relaxed: the owner is its only writer
    const std::uint32_t head = pp.runq_head.load(memory_order_acquire);  // pairs(runq.consume)
    ROTA_CHECK(tail - head + n <= p::runq_size);
    for (std::uint32_t i = 0; i < n; ++i) {
        pp.runq[(tail + i) & ring_mask].store(from.pop(),
                                              memory_order_relaxed);  // relaxed: published below
    }
    pp.runq_tail.store(tail + n, memory_order_release);  // pairs(runq.publish)
}

// Takes an urgent goroutine, unless it is the ordinary goroutines' turn. Where turns are short, up
// to `batch` more follow it in the ring: there they run sooner than one by one.
g* urgent_get(p& pp) ROTA_REQUIRES(sched.mu) {
    constexpr std::uint32_t batch = 8;
    const bool others = sched.suspended_first != nullptr || !sched.runq.empty();
    // or lent for this
    if (sched.urgent_lead != 0 && others && pp.lender == nullptr) return nullptr;
    g* const gp = sched.urgent.pop();
    std::uint32_t more = 0;
    if (!sched.urgent.empty() && !are_turns_long(pp, nanotime())) {
        more = std::min({sched.urgent.size(), runq_ring_room(pp), batch});
        move_to_ring(pp, sched.urgent, more);
    }
    sched.urgent_lead = others ? std::max(sched.urgent_lead, 1 + more) : 1;
    if (sched.urgent.empty()) sched.urgent_waits.store(false, memory_order_relaxed);  // as above
    publish_global_size();
    bump(pp.counts.global_gets);
    return gp;
}

// How many ordinary goroutines come in their turn: as many as urgent ones came before them. What
// the ring has no room for comes the next time. One, where turns are long.
std::uint32_t others_turn(const p& pp) ROTA_REQUIRES(sched.mu) {
    if (sched.urgent_lead > 1 && are_turns_long(pp, nanotime())) sched.urgent_lead = 1;
    return std::clamp(sched.urgent_lead, 1u, runq_ring_room(pp) + 1);
}

// Counts the ordinary goroutines' turn. Only goroutines that the ring had no room for stay owed,
// not goroutines that do not exist.
void others_had_turn(std::uint32_t n) ROTA_REQUIRES(sched.mu) {
    const bool are_more = sched.suspended_first != nullptr || !sched.runq.empty();
    sched.urgent_lead = are_more ? sched.urgent_lead - std::min(sched.urgent_lead, n) : 0;
}

}  // namespace

g* global_get(p& pp, std::uint32_t max) {
    if (ROTA_UNLIKELY(!sched.urgent.empty())) {
        if (g* const gp = urgent_get(pp)) return gp;
    }
    // Urgent goroutines take turns with ordinary ones. A poll brings urgent ones by the hundred,
    // and each of them would wait for a whole batch.
    const bool in_turn = !sched.urgent.empty();
    if (in_turn) max = others_turn(pp);
    else sched.urgent_lead = 0;
    pp.global_tick = pp.sched_tick.load(memory_order_relaxed);  // relaxed: written by this thread
    if (ROTA_UNLIKELY(sched.suspended_first != nullptr)) {
        const std::uint32_t before_it = ahead_of_suspended();
        if (before_it == 0) {
            sched.urgent_lead = 0;  // the turn of a suspended goroutine is long
            return pop_suspended()->curg;
        }
        if (max == 0 || max > before_it) max = before_it;
    }
    const std::uint32_t size = sched.runq.size();
    if (size == 0) return nullptr;
    const auto share = in_turn ? 1 : static_cast<std::uint32_t>(proc_count());
    std::uint32_t n = std::min(size, size / share + 1);
    if (n > p::runq_size / 2) n = p::runq_size / 2;
    if (max > 0 && n > max) n = max;
    g* const first = sched.runq.pop();
    if (n > 1) move_to_ring(pp, sched.runq, n - 1);
    others_had_turn(n);
    publish_global_size();
    bump(pp.counts.global_gets);
    return first;
}

// Goroutines that begin goroutines, and the goroutines that they begin, fill the rings, which spill
// into the global queue. To take the oldest of them first is fair, and slow: ever more of them are
// under way at a time. Fork and join takes 1.2 times as long where eight of 61 turns are the
// queue's, 1.6 where all are. So it is one turn, as in Go, and more only where they would wait for
// long.
std::uint32_t global_turns(std::int64_t now) {
    constexpr std::uint32_t all = 61;
    constexpr std::int64_t long_wait_ns = 50'000'000;
    if (now - sched.runq_mark_at < long_wait_ns) return sched.runq_turns;
    const auto left = static_cast<std::int32_t>(sched.runq_mark - sched.runq.popped());
    if (left > 0) sched.runq_turns = std::min(all, 2 * sched.runq_turns);
    else sched.runq_turns = std::max(1u, sched.runq_turns / 2);
    sched.runq_mark = sched.runq.pushed();
    sched.runq_mark_at = now;
    return sched.runq_turns;
}

}  // namespace rota::rt
