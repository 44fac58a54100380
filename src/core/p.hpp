// p: a processor, the right to run goroutines. There are exactly GOMAXPROCS of them.
//
// Fields are grouped by their writers, one cache line for each: a thief reads and writes the head
// of the run queue while the owner works at the tail.
#pragma once

#include <cstdint>

#include "base/annotations.hpp"
#include "base/atomic.hpp"
#include "core/g.hpp"
#include "core/status.hpp"
#include "mem/block_lists.hpp"
#include "mem/stack.hpp"
#include "timer/heap.hpp"
#include "trace/counters.hpp"

namespace rota::rt {

struct m;

struct alignas(cache_line) p {
#if defined(ROTA_MODEL)
    // small, so that the explorer of schedules fills it
    static constexpr std::uint32_t runq_size = 4;
#else
    static constexpr std::uint32_t runq_size = 256;
#endif
    static constexpr std::uint32_t gfree_max = 64;
    static constexpr std::uint8_t no_gfree_class = stack_class_count;
    static constexpr std::uint32_t clock_period = 64;

    // --- fixed after procresize -------------------------------------------------
    std::int32_t id = -1;

    // --- changes hands by compare-and-swap between exitsyscall and retake --------
    atomic<p_status> status{p_status::gcstop};

    // --- owner: the m that holds this p ------------------------------------------
    std::uint32_t gfree_count = 0;  // dead goroutines in gfree; the one on top died last
    // stack class of these; no_gfree_class: the list stays empty, and the pools get the goroutines
    std::uint8_t gfree_class = stack_class_for(stack_size_default);
    g* gfree[gfree_max] = {};
    block_lists blocks;
    std::uint64_t goid_next = 0;  // the next of the numbers reserved for new goroutines
    std::uint64_t goid_end = 0;   // end of these numbers
    std::uint32_t poll_tick = 0;  // sched_tick at the last poll beside other work
    std::int64_t poll_at = 0;     // ns, time of that poll
    // ns and sched_tick, when a turn was last ended because its goroutine computed. Written by
    // note_computed: by the owner, or by sysmon while it holds the p.
    std::int64_t computed_at = 0;
    std::uint32_t computed_tick = ~0u / 2;
    std::uint32_t until_clock = clock_period;  // goroutines to ready before one is timed
    // the m that has lent it; null: not lent: sched/preempt/lend
    m* lender = nullptr;
    // ns, when it was lent, and the CPU time of the lender's thread if that waited for a processor
    // then; -1: it computed. Written by sysmon, which holds the p, before another m gets the p.
    std::int64_t lent_at = 0, lender_clock = -1;
    // While it is idle: the lender that it was given back to, until the lender comes. Under
    // sched.mu.
    m* returned_to = nullptr;
    std::uint32_t global_tick = 0;     // sched_tick when the global queue was last served, or empty
    std::uint32_t handed_on_tick = 0;  // sched_tick when this p was last handed on
    bool slice_over = false;           // the goroutine readied last does not inherit the slice
    // it came first behind the last slice; next time the ring does
    bool global_was_first = false;
    static constexpr int anywhere = -1;
    // processor on which its next m shall begin: sched/queue/placement
    int vacated = anywhere;
    std::uint32_t trace_gen = 0;  // the generation of the trace that knows this p
    // number in that generation of its last start, theft or system call
    std::uint32_t trace_seq = 0;
    int trace_tid = 0;  // tid of the last thread that entered a system call with it

    // --- owner writes, anyone reads ----------------------------------------------
    // relaxed: sysmon lives with a stale value, ms are never freed
    alignas(cache_line) atomic<m*> mp{nullptr};
    atomic<std::uint32_t> sched_tick{0};     // relaxed: sysmon lives with a stale value
    atomic<std::uint32_t> syscall_tick{0};   // relaxed: as above
    atomic<std::int64_t> last_polled_at{0};  // ns, when its owner last polled; relaxed: a hint
    atomic<bool> last_poll_was_full{false};  // that poll was full; relaxed: a hint
    atomic<std::uint32_t> runq_tail{0};
    atomic<g*> runq[runq_size] = {};
    p_counters counts;

    // --- anyone writes, lock-free -------------------------------------------------
    // consumers advance it by compare-and-swap
    alignas(cache_line) atomic<std::uint32_t> runq_head{0};
    atomic<g*> runnext{nullptr};  // owner: any -> any; a thief that holds the gate: g -> null
    atomic<std::uint32_t> runnext_gate{0};  // 1: a thief is at runnext, so its owner uses locks

    // --- guarded by its own lock ----------------------------------------------------
    alignas(cache_line) timer_heap timers;

    // --- guarded by sched.mu --------------------------------------------------------
    p* idle_link = nullptr;
    // ns, when it was last taken from the idle list; sysmon reads it, relaxed: a guess
    atomic<std::int64_t> idle_until{0};

    // --- sysmon only ------------------------------------------------------------------
    std::uint32_t seen_sched_tick = 0;
    std::uint32_t seen_syscall_tick = 0;
    std::uint64_t seen_steps = 0;
    std::int64_t seen_sched_when = 0;
    const m* seen_mp = nullptr;     // the m that held it at the last look in that tick
    std::int64_t seen_mp_when = 0;  // ns, since about when
    std::int64_t seen_syscall_when = 0;
    // ns, since when goroutines wait while pace is measured, and sched_tick then; 0: none waits:
    // sched/policy/poll_trial
    std::int64_t pace_since = 0;
    std::uint32_t pace_tick = 0;
    // An earlier look at its m: that m, its syscall_tick, CPU time (ns) and time of the look (ns).
    // null: nothing is known that tells of the future: sched/policy/poll_trial.
    const m* clocked_mp = nullptr;
    std::uint32_t clocked_calls = 0;
    std::int64_t clocked_cpu = 0, clocked_at = 0;
    // ns, since when it lacks progress for want of a processor; 0: not so
    std::int64_t starved_since = 0;
    // ns, since when the goroutine at the ring's tail has waited, and that tail:
    // sched/policy/poll_trial
    std::int64_t tail_since = 0;
    std::uint32_t tail_index = 0;
    // the m of the last round that read a CPU clock: preempt_watch::note_progress
    m* clocked = nullptr;
    std::int64_t clock_then = 0;      // ns, the CPU time read then
    std::uint32_t progress_tick = 0;  // sched_tick in the last round
    struct {
        m* mp = nullptr;               // has held this p in one time slice
        std::uint32_t tick = 0;        // sched_tick of that slice
        std::int64_t since = 0;        // ns, beginning of the turn, or some time after it
        std::int64_t cpu = -1;         // ns, CPU time of its thread at the last look; -1: unknown
        std::int64_t cpu_first = -1;   // ns, CPU time at the first look; -1: no look yet
        std::int64_t first_at = 0;     // ns, time of the first look
        std::int64_t still_since = 0;  // ns, since when `cpu` has not moved
        std::int64_t asked_at = 0;     // ns, when it was asked to yield; 0: not yet
        // ns, CPU time when the clock was last seen to stand still
        std::int64_t observed_cpu = 0;
        std::int64_t observed_at = 0;  // ns, that moment
        std::int64_t looked_at = 0;    // ns, time of the last look at the clock
        bool was_asleep = false;       // at the last look, although the clock had moved
    } watch;
};
static_assert((p::runq_size & (p::runq_size - 1)) == 0, "indices wrap by masking");

}  // namespace rota::rt
