// Run queues: per p a ring of 256 and the slot runnext, and the global queue.
//
// The owner puts at the tail without a lock; the owner and thieves take at the head by
// compare-and-swap. runnext is the owner's, who changes it in restartable sequences; a thief shuts
// a gate first (sys/asymmetric.hpp). Putting is no full fence: wakep brings it (sched/wakeup.hpp).
//
// Indices are 32 bits wide and wrap; a thief would have to sleep through 2^32 takes to be fooled.
// The owner never overwrites a slot that a thief may still copy: a thief first copies, then
// advances the head, and the owner looks at the head before it puts. Go: runqput, runqget,
// runqgrab, runqsteal, globrunqget.
#pragma once

#include <cstdint>

#include "base/annotations.hpp"
#include "core/sched.hpp"
#include "sys/asymmetric.hpp"

namespace rota::rt {

// Queues gp on pp: in runnext if `next`, else at the tail; half of a full ring goes to the global
// queue. Caller: the owner of pp. Parks: never. Takes: sched.mu, only when the ring is full.
void runq_put(p& pp, g& gp, bool next) ROTA_EXCLUDES(sched.mu);

// The next g of pp, or null. `inherit`: it continues the time slice of the goroutine before it.
// Caller: the owner of pp.
[[nodiscard]] g* runq_get(p& pp, bool& inherit);

// The halves of these two: the ring alone, and runnext, which is compiled into its users since
// every wake-up and every switch goes that way. Caller: as above.
void runq_put_last(p& pp, g& gp) ROTA_EXCLUDES(sched.mu);
[[nodiscard]] g* runq_get_first(p& pp);

ROTA_ALWAYS_INLINE void runq_put_next(p& pp, g& gp) ROTA_EXCLUDES(sched.mu) {
    ROTA_DCHECK(readgstatus(gp) == g_status::runnable);
    // A thief may empty the slot at any time, so even the owner exchanges.
    g* const before = owner_exchange(pp.runnext_gate, pp.runnext, &gp);  // pairs(runq.next)
    if (before != nullptr) runq_put_last(pp, *before);
}

[[nodiscard]] ROTA_ALWAYS_INLINE g* runq_get_next(p& pp) {
    // relaxed: only we put, the exchange synchronises
    if (pp.runnext.load(memory_order_relaxed) == nullptr) return nullptr;
    return owner_exchange<g>(pp.runnext_gate, pp.runnext, nullptr);  // pairs(runq.next)
}

// Moves half of victim's queue, `most` of it, to thief's and returns one of it, or null. victim's
// runnext only if `take_runnext`, and only if it stays there for 10 µs. Caller: the owner of thief.
[[nodiscard]] g* runq_steal(p& thief, p& victim, bool take_runnext,
                            std::uint32_t most = p::runq_size / 2);

// Whether pp has nothing to run. Any thread; true is exact for everything that was put before the
// caller's last heavy_fence(), unless its owner is in the middle of a put, which ends in wakep.
[[nodiscard]] bool runq_empty(const p& pp);
// The same of the ring alone.
[[nodiscard]] bool runq_ring_empty(const p& pp);

// runnext, if any, goes to the tail: what its owner readied does not come next. Caller: the owner,
// who looks for work.
void runq_put_next_last(p& pp) ROTA_EXCLUDES(sched.mu);

// Goroutines in the ring: for the owner, who alone adds to it, never too few; a hint for others.
[[nodiscard]] std::uint32_t runq_ring_length(const p& pp);
[[nodiscard]] inline std::uint32_t runq_ring_room(const p& pp) {
    return p::runq_size - runq_ring_length(pp);
}
// In ring and runnext; any thread, a hint.
[[nodiscard]] std::uint32_t runq_length(const p& pp);

// Who is in the ring, first come first, and in runnext, or null: pointers of the moment, for
// reports. Whoever takes one of them meanwhile does not wait. `in_ring` has room for runq_size.
struct runq_look {
    std::uint32_t count;
    const g* next;
};
runq_look runq_members(const p& pp, const g** in_ring);

// A turn of pp had to be ended. Caller: its owner, or sysmon, which holds it.
void note_computed(p& pp, std::int64_t now);

// Whether that was lately: those who wait in its ring may take long as well. Lately is some time
// ago, or some turns: a thread that the kernel keeps waiting lets time pass.
[[nodiscard]] bool are_turns_long(const p& pp, std::int64_t now);

// The global queue.
void global_put(g& gp) ROTA_REQUIRES(sched.mu);

// For a goroutine that does not wait for whole slices: every other one that is taken is one of
// those.
void global_put_urgent(g& gp) ROTA_REQUIRES(sched.mu);

// For one that has had next to nothing of its turn: as global_put_urgent, unless there are more of
// those in a hurry than of all others, who would be behind every one that computes then.
void global_put_early(g& gp) ROTA_REQUIRES(sched.mu);
void global_put_batch(g* const* batch, std::uint32_t n) ROTA_REQUIRES(sched.mu);

// Says how long the queue is, after it or the line of suspended ms has changed.
void publish_global_size() ROTA_REQUIRES(sched.mu);

// Somebody stands there whom no full ring has sent.
void not_only_spilled() ROTA_REQUIRES(sched.mu);

// Takes a fair share, at most `max` (0: half a ring), for pp: returns one, queues the rest on pp,
// which has the room. One that is `preempted` is not run: its m gets the p (resume_suspended).
// Caller: the owner of pp.
[[nodiscard]] g* global_get(p& pp, std::uint32_t max) ROTA_REQUIRES(sched.mu);

// How many of 61 turns are theirs who wait in the global queue while the rings do not get empty.
[[nodiscard]] std::uint32_t global_turns(std::int64_t now) ROTA_REQUIRES(sched.mu);

inline bool global_has_work() {
    return sched.runq_size.load(memory_order_acquire) != 0;  // pairs(runq.global)
}

}  // namespace rota::rt
