// Run queues: per p a ring of 256 and the slot runnext, and the global queue.
//
// The owner puts at the tail without a lock; the owner and thieves take at the head by
// compare-and-swap. runnext belongs to the owner, which changes it in restartable sequences; a
// thief shuts a gate first (sys/thread/asymmetric.hpp). A put is no full fence: wakep brings it
// (sched/base/wakeup.hpp).
//
// Indices are 32 bits wide and wrap: only a thief that sleeps through 2^32 takes is fooled. The
// owner never overwrites a slot that a thief may still copy. A thief first copies, then advances
// the head, and the owner reads the head before it puts. Go: runqput, runqget, runqgrab, runqsteal,
// globrunqget.
#pragma once

#include <cstdint>

#include "base/annotations.hpp"
#include "core/sched.hpp"
#include "sched/queue/global_size.hpp"
#include "sys/thread/asymmetric.hpp"

namespace rota::rt {

// Queues gp on pp: in runnext if `next`, else at the tail; half of a full ring goes to the global
// queue. Caller: the owner of pp. Parks: never. Takes: sched.mu, only when the ring is full.
void runq_put(p& pp, g& gp, bool next) ROTA_EXCLUDES(sched.mu);

// Takes the next g of pp, or null. `inherit`: the g continues the time slice of the goroutine
// before it. Caller: the owner of pp.
[[nodiscard]] g* runq_get(p& pp, bool& inherit);

// The halves of these two functions: the ring alone, and runnext. The runnext half is compiled into
// its callers since every wake-up and every switch uses it. Caller: as above.
void runq_put_last(p& pp, g& gp) ROTA_EXCLUDES(sched.mu);
[[nodiscard]] g* runq_get_first(p& pp);

ROTA_ALWAYS_INLINE void runq_put_next(p& pp, g& gp) ROTA_EXCLUDES(sched.mu) {
    ROTA_DCHECK(readgstatus(gp) == g_status::runnable);
    // A thief may empty the slot at any time, so the owner exchanges too.
    g* const before = owner_exchange(pp.runnext_gate, pp.runnext, &gp);  // pairs(runq.next)
    if (before != nullptr) runq_put_last(pp, *before);
}

[[nodiscard]] ROTA_ALWAYS_INLINE g* runq_get_next(p& pp) {
    // relaxed: only the owner puts, and the exchange synchronises
    if (pp.runnext.load(memory_order_relaxed) == nullptr) return nullptr;
    return owner_exchange<g>(pp.runnext_gate, pp.runnext, nullptr);  // pairs(runq.next)
}

// Moves half of victim's queue, at most `most` goroutines, to thief's and returns one of them, or
// null. Takes victim's runnext only if `take_runnext`, and only if it stays there for 10 µs.
// Caller: the owner of thief.
[[nodiscard]] g* runq_steal(p& thief, p& victim, bool take_runnext,
                            std::uint32_t most = p::runq_size / 2);

// Whether pp has nothing to run. Any thread. True is exact for every g that was put before the
// caller's last heavy_fence(), unless the owner is in the middle of a put, which ends in wakep.
[[nodiscard]] bool runq_empty(const p& pp);
// Whether the ring alone is empty; exact as runq_empty.
[[nodiscard]] bool runq_ring_empty(const p& pp);

// Moves runnext, if any, to the tail: what the owner readied does not come next. Caller: the owner,
// which looks for work.
void runq_put_next_last(p& pp) ROTA_EXCLUDES(sched.mu);

// Number of goroutines in the ring. For the owner, which alone adds to it, never too few; for
// another thread a hint.
[[nodiscard]] std::uint32_t runq_ring_length(const p& pp);
[[nodiscard]] inline std::uint32_t runq_ring_room(const p& pp) {
    return p::runq_size - runq_ring_length(pp);
}
// Number of goroutines in ring and runnext; any thread, a hint.
[[nodiscard]] std::uint32_t runq_length(const p& pp);

// Lists the goroutines in the ring, the oldest first, and in runnext, or null. The pointers are of
// the moment, for reports: a listed goroutine that an m takes meanwhile no longer waits. `in_ring`
// has room for runq_size.
struct runq_look {
    std::uint32_t count;
    const g* next;
};
runq_look runq_members(const p& pp, const g** in_ring);

// Notes that the scheduler had to end a turn of pp. Caller: the owner of pp, or sysmon, which holds
// it.
void note_computed(p& pp, std::int64_t now);

// Whether note_computed was called lately for pp: goroutines in its ring may take long as well.
// Lately is within some time or within some turns: a thread that the kernel keeps waiting lets time
// pass.
[[nodiscard]] bool are_turns_long(const p& pp, std::int64_t now);

// The global queue.
void global_put(g& gp) ROTA_REQUIRES(sched.mu);

// Queues a goroutine that does not wait for whole slices: every second goroutine that is taken from
// the global queue is an urgent one.
void global_put_urgent(g& gp) ROTA_REQUIRES(sched.mu);

// Queues a goroutine that has had next to nothing of its turn: as global_put_urgent, unless there
// are more urgent goroutines than ordinary ones. The ordinary ones would otherwise stand behind
// every goroutine that computes.
void global_put_early(g& gp) ROTA_REQUIRES(sched.mu);
void global_put_batch(g* const* batch, std::uint32_t n) ROTA_REQUIRES(sched.mu);

// Takes a fair share, at most `max` (0: half a ring), for pp: returns one goroutine and queues the
// rest on pp, which has the room. A returned goroutine that is `preempted` is not run: its m gets
// the p (resume_suspended). Caller: the owner of pp.
[[nodiscard]] g* global_get(p& pp, std::uint32_t max) ROTA_REQUIRES(sched.mu);

// How many of 61 turns belong to the global queue while the rings do not get empty.
[[nodiscard]] std::uint32_t global_turns(std::int64_t now) ROTA_REQUIRES(sched.mu);

}  // namespace rota::rt
