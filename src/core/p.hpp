// p: a processor, the right to run goroutines. There are exactly GOMAXPROCS of them.
//
// Fields are grouped by who may write them, one cache line per writer: a thief reads and writes the
// head of the run queue while the owner works at the tail.
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
    static constexpr std::uint32_t runq_size = 4;  // so that schedules which fill it are explored
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
    std::uint32_t gfree_count = 0;  // dead goroutines with their stacks, the last one on top
    // Of the size that they have; no_gfree_class: the list stays empty, all go to the pools.
    std::uint8_t gfree_class = stack_class_for(stack_size_default);
    g* gfree[gfree_max] = {};
    block_lists blocks;
    std::uint64_t goid_next = 0;  // numbers reserved for new goroutines
    std::uint64_t goid_end = 0;
    std::uint32_t poll_tick = 0;   // the tick at which it has last asked the poller beside its work
    std::int64_t poll_at = 0;      // and when
    std::int64_t computed_at = 0;  // when somebody's turn was last ended; or sysmon, which holds p,
    std::uint32_t computed_tick = ~0u / 2;     // and at which tick; both by note_computed
    std::uint32_t until_clock = clock_period;  // goroutines readied until one is timed
    m* host = nullptr;                         // has lent it for a moment, if not null: sched/lend
    // nanotime() of that, and the CPU time of the host's thread if it waited for a processor then;
    // -1: it computed. Written by sysmon, which holds the p, before another m gets the p.
    std::int64_t lent_at = 0, host_clock = -1;
    // The host that has got it back and not come yet, while it is idle. Written and read under
    // sched.mu.
    m* given_back_to = nullptr;
    // the tick at which the global queue was last served, or empty
    std::uint32_t global_tick = 0;
    std::uint32_t handed_on_tick = 0;  // and that at which this p was last handed on
    bool slice_over = false;           // what was readied last goes on with it no more
    bool global_was_first = false;     // behind the last slice: the next time the ring is
    static constexpr int anywhere = -1;
    int vacated = anywhere;       // the processor on which its next m is to begin: sched/placement
    std::uint32_t trace_gen = 0;  // the generation of the trace that knows it
    std::uint32_t trace_seq = 0;  // in that, of its last start, theft or system call
    int trace_tid = 0;            // of the thread that went into a system call with it

    // --- owner writes, anyone reads ----------------------------------------------
    alignas(cache_line) atomic<m*> mp{
        nullptr};  // relaxed: sysmon lives with a stale value, ms are never freed
    atomic<std::uint32_t> sched_tick{0};    // relaxed: sysmon lives with a stale value
    atomic<std::uint32_t> syscall_tick{0};  // relaxed: as above
    atomic<std::int64_t> looked_at{0};      // when it has last asked the poller; relaxed: a hint
    atomic<bool> left_some{false};          // that look was full; relaxed: a hint
    atomic<std::uint32_t> runq_tail{0};
    atomic<g*> runq[runq_size] = {};
    p_counters counts;

    // --- anyone writes, lock-free -------------------------------------------------
    alignas(cache_line) atomic<std::uint32_t> runq_head{
        0};                       // consumers advance it by compare-and-swap
    atomic<g*> runnext{nullptr};  // owner: any -> any; a thief that holds the gate: g -> null
    atomic<std::uint32_t> runnext_gate{0};  // 1: a thief is at runnext, so its owner uses locks

    // --- guarded by its own lock ----------------------------------------------------
    alignas(cache_line) timer_heap timers;

    // --- guarded by sched.mu --------------------------------------------------------
    p* idle_link = nullptr;
    // When it was last taken from the idle ones; sysmon reads it, relaxed: a guess.
    atomic<std::int64_t> idle_until{0};

    // --- sysmon only ------------------------------------------------------------------
    std::uint32_t seen_sched_tick = 0;
    std::uint32_t seen_syscall_tick = 0;
    std::uint64_t seen_steps = 0;
    std::int64_t seen_sched_when = 0;
    const m* seen_mp = nullptr;     // the last one that has held it in that tick,
    std::int64_t seen_mp_when = 0;  // since about then
    std::int64_t seen_syscall_when = 0;
    // Since when others wait while this p has not made many turns, and its tick then: sched/alone.
    std::int64_t left_since = 0;
    std::uint32_t left_tick = 0;
    // Who had it at a look some time ago, its tick of calls, its thread's clock, and when that was;
    // null: that says nothing of what comes: sched/alone.
    const m* left_mp = nullptr;
    std::uint32_t left_calls = 0;
    std::int64_t left_cpu = 0, left_look = 0;
    std::int64_t excused_since = 0;  // it has not got on, for want of a processor; 0: not so
    // And since when the last one in the ring has waited, who stood there: sched/alone.
    std::int64_t last_since = 0;
    std::uint32_t last_place = 0;
    m* clocked = nullptr;         // whose thread's clock was read in the last round that did,
    std::int64_t clock_then = 0;  // and what it said
    std::uint32_t calm_tick = 0;  // in that round
    struct {
        m* mp = nullptr;  // has held it, in one time slice,
        std::uint32_t tick = 0;
        std::int64_t since = 0;        // since this moment, or some time before
        std::int64_t cpu = -1;         // its thread's clock when last looked at
        std::int64_t cpu_first = -1;   // and when first,
        std::int64_t first_at = 0;     // which was at this moment
        std::int64_t still_since = 0;  // which has not moved since
        std::int64_t asked_at = 0;     // to yield; 0: not yet
        std::int64_t cpu_then = 0;     // the clock when it had last stood still,
        std::int64_t then = 0;         // which was at this moment
        std::int64_t looked_at = 0;    // when the clock was last looked at
        bool was_asleep = false;       // at the last look, although the clock had moved
    } watch;
};
static_assert((p::runq_size & (p::runq_size - 1)) == 0, "indices wrap by masking");

}  // namespace rota::rt
