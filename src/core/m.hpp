// m: a thread that runs goroutines, or a thread of the program's own that uses rota.
//
// The runtime's threads, and a thread inside run(), take a p and schedule. Any other thread gets an
// m on first use, `foreign`, without ever having a p: its operations go through the global queue,
// and its waits block the thread. Ms are never freed: a stale pointer to one is safe to read. A
// foreign m goes back to a list when its thread ends.
#pragma once

#include <cstdint>

#include "arch/fp_control.hpp"
#include "base/atomic.hpp"
#include "base/rand.hpp"
#include "core/eh_state.hpp"
#include "core/g.hpp"
#include "core/p.hpp"
#include "sys/affinity.hpp"
#include "sys/note.hpp"
#include "sys/self.hpp"
#include "trace/stream.hpp"

namespace rota::rt {

// Finishes the business of a g that was switched away from, on the stack of whatever runs next.
// Must not park.
using switch_action = void (*)(m& self, g& prev);
// Called once gp can be readied safely; false: do not wait after all.
using park_commit = bool (*)(g& gp, void* arg);

// How the next entry into the runtime must proceed. Only `clear` is the fast path.
//
//            entersyscall              exitsyscall, or an entry
//     clear ──────────────► in_syscall ────────────────────────► clear
//     clear ──take_p──► requested ──the m was outside, with a p──► taken
//                       │      └────it was not──► clear
//                       └───entersyscall, under way already──► in_syscall     (the taker lets go)
//     taken ──an entry, or the handler that has got a p──► clear
//     in_syscall ──exitsyscall, all ps busy──► taken ──entersyscall──► in_syscall
//
// The m itself writes in_syscall, clear from in_syscall and taken, and taken from in_syscall. Only
// who takes writes requested and what follows from it: one thread at a time, sched/take.
enum class entry_state : std::uint32_t {
    clear,
    in_syscall,  // inside blocking(): take a p first
    requested,   // somebody is about to take the p: wait for the outcome, some microseconds
    taken,       // the p is gone; the goroutine's state is `syscall`: take a p first
};

// What an m last took away from another p, and what has come of it: sched/haul.
struct haul_record {
    std::int64_t at = 0;             // when; 0: judged already
    const p* of = nullptr;           // its own p then,
    std::uint32_t tick = 0;          // and the tick of that
    std::int32_t patience_ns = 0;    // for how long it leaves the next to its p
    std::uint32_t aid = 0;           // how many it takes of what it leaves to its maker; 0: none
    std::uint32_t steps_at_aid = 0;  // that one's, when it last did
    const p* maker = nullptr;        // whom it watches when it holds back,
    std::uint32_t maker_tick = 0, maker_head = 0;  // and since when nobody has come out of his
    std::int64_t moved_at = 0;                     // ring; kept from one time to the next
};

struct alignas(cache_line) m : self_header {
    // --- owner: the thread itself --------------------------------------------------
    g* curg = nullptr;  // whose stack the thread is on; &g0 in the scheduler and in foreign threads
    p* pp = nullptr;    // null: holds none; cleared by who takes it, while the m is locked out;
                        // changed by the two functions below
    eh_state* eh = nullptr;         // the thread's exception words
    bubble* commit_in = nullptr;    // while the park of a goroutine of that bubble is committed
    switch_action after = nullptr;  // set before a switch, run right behind it
    g* prev = nullptr;              // its argument
    park_commit commit = nullptr;   // of the g that parks
    void* commit_arg = nullptr;
    p* old_p = nullptr;            // held before blocking()
    bool stays_without_p = false;  // came out of blocking() so, and is counted in ms_without_p
    // In the turn that ended when its p was taken; set by the taker, cleared by a system call.
    bool has_hardly_run = false;
    bool leaves_p = false;  // its goroutine leaves the p when it next leaves the runtime
    // When its goroutine last gave the p away of itself, ns, and the thread's clock then; 0: it has
    // not; never_had_p: it went into a call without one.
    static constexpr std::int64_t never_had_p = -1;
    std::int64_t left_p_at = 0, left_p_cpu = 0;
    bool is_told = false;   // a sanitizer of the program is told of its switches; fixed in minit
    bool spinning = false;  // looks for work and is counted in sched.nmspinning
    bool foreign = false;
    // As `foreign`, for the deadlock detector: not one of sched.m_count. Changed under sched.mu, or
    // before the thread is known; relaxed: who reads it looks again under that lock.
    atomic<bool> is_outside{false};
    bool detach_after_run = false;  // attached by run(): leaves with it
    bool counts_outside = false;    // counted in sched.outside_users
    bool kept_stops_away = false;   // the thread had blocked the stop signal before run()
    // What goready and newproc do beside queueing; 0: they wake an m.
    std::uint8_t ready_extras = 0;
    static constexpr std::uint8_t ready_quietly = 1;   // wake no m: the caller looks after that
    static constexpr std::uint8_t ready_traced = 2;    // set as long as it has a p and a trace runs
    static constexpr std::uint8_t ready_urgently = 4;  // in the ring they would wait for long
    // Set as long as it has a p and creation stacks are kept: sched/creation.
    static constexpr std::uint8_t ready_creations = 8;
    static constexpr std::uint8_t ready_lasting = ready_traced | ready_creations;
    // waking a sleeping core takes about as long
    static constexpr std::int32_t spin_ns_max = 20'000;
    std::int32_t spin_ns = spin_ns_max;  // how long it next waits for work
    haul_record haul;                    // what it last took from others: sched/haul
    std::uint32_t syscall_tick = 0;      // old_p's tick at entry
    run_record* run = nullptr;           // the run() of this thread, if it is inside one
    rng rand;
    void* signal_stack = nullptr;
    const void* told_bottom = nullptr;  // of the thread's own stack, where is_told; fixed in minit
    std::size_t told_size = 0;          // bytes, likewise

    // --- execution traces: owner, who takes its p, who holds no p and has trace.mu; see
    // sched/trace_events
    trace_stream traced;
    bool trace_in_syscall = false;              // its goroutine is so in the trace
    bool trace_preempts = false;                // the next yield is not the goroutine's own
    std::uint32_t trace_p_seq = 0;              // old_p's number at the call, and the generation
    std::uint32_t trace_p_gen = 0;              // of that
    struct trace_cache* trace_known = nullptr;  // stacks

    // Of a thread that rota has made: where the frame of its first function is, with own_frames of
    // stack below that only the scheduler uses; or 0. relaxed: read while the thread is held
    // (sys/hold_threads).
    static constexpr std::size_t own_frames = 64 * 1024;
    atomic<std::uintptr_t> first_frame{0};
    // Of a thread inside run(): the frame of its stack below which only the scheduler's are; or 0.
    // relaxed: as above.
    atomic<std::uintptr_t> home_frame{0};
    std::uint64_t id = 0;
    atomic<int> tid{0};  // the kernel's number of the thread; relaxed: fixed while it has a p
#if defined(ROTA_DEBUG_CHECKS)
    fp_control fp;  // as goroutines must leave it when they block
#endif

    // --- owner writes, who takes its p reads ------------------------------------------
    // 1: the m is inside the runtime, and nobody takes its p. Set by a relaxed store, since the
    // reader brings a process-wide barrier; cleared by a release, which hands over the m and its p.
    // An m with a p that is outside runs a goroutine, never g0.
    atomic<std::uint32_t> in_runtime{0};

    // The goroutine that is locked to this thread, the only one that it runs; &g0: one that has
    // ended. Written by that goroutine: from another thread, under sched.mu, only if it is a main
    // goroutine on its way here.
    atomic<g*> locked_g{nullptr};

    // --- owner writes, who scans reads ----------------------------------------------
    // Its goroutine is stopped in the handler of the signal (sched/suspend), and stays there as
    // long as a scan is under way (sched/scan) that has seen this word.
    atomic<bool> is_still{false};
    gobuf still_at;                  // where the signal has interrupted it
    std::uintptr_t still_frame = 0;  // of the handler, above which the registers lie

    // --- owner writes, sysmon reads --------------------------------------------------
    // How often it has come out of a system call without a p; relaxed: sysmon may be a round late.
    atomic<std::uint32_t> stays{0};

    // --- anyone writes ------------------------------------------------------------------
    atomic<entry_state> entry{entry_state::clear};
    note park;               // the thread sleeps here
    p* next_p = nullptr;     // written by the waker before park.wakeup(), as are the next two
    bool is_placed = false;  // the thread may run on one processor only,
    processor_set affinity;  // and is to have these back: sched/placement

    // --- guarded by sched.mu --------------------------------------------------------------
    m* idle_next = nullptr;
    m* idle_prev = nullptr;
    bool is_idle = false;           // on sched's idle list
    bool locked_idle = false;       // sleeps until its locked goroutine is to run
    bool locked_ready = false;      // that one is to run, and was taken out of its queue before
    m* suspended_next = nullptr;    // behind this one in line for a p
    std::uint32_t its_turn = 0;     // when the global queue has got this far
    m* unborn_next = nullptr;       // its thread is being made, and it has a p: see sched.unborn
    m* to_make_next = nullptr;      // its thread is still to be made: sched/maker
    bool is_spare = false;          // counted in sched.spare_count
    bool is_coming = false;         // counted in sched.spares_coming
    atomic<bool> suspended{false};  // in line; relaxed for those who read it without the lock

    // --- a thread of the program's own: written by it, read by who sees it wait ----------------
    std::uint32_t attached = 0;    // the threads that have had this record; under sched.mu
    std::uint64_t sema_waits = 0;  // its waits in the semaphore table; under the lock of the root

    // --- sysmon sets, who yields reads ---------------------------------------------------
    // The tick of the turn that the last request to yield was about, and whether that turn had
    // hardly begun. relaxed, both: advice, written before `preempt`.
    atomic<std::uint32_t> asked_tick{0};
    atomic<bool> asked_early{false};

    // --- sysmon sets, the handler clears ----------------------------------------------------
    atomic<bool> stop_sent{false};  // the signal is ours; relaxed: one more or less does no harm

    // --- who takes its p sets, the handler answers: sched/thread_fence ------------------------
    // Numbers of fences: the last one asked for, written under take's lock,
    atomic<std::uint32_t> fence_asked{0};
    atomic<std::uint32_t> fence_done{0};  // and the last one made, written by the m's own thread

    // --- its own thread sets, sysmon reads ----------------------------------------------------
    // The turn in which it has gone on, with the goroutine that ran without a p (turn_of); 0: that
    // one has gone into a queue since. relaxed: a guess, and at worst a turn looks new
    atomic<std::uint64_t> went_on_in{0};
    // Voluntary context switches of its thread by then. Written by the m before went_on_in; sysmon
    // reads it. relaxed: a guess, as went_on_in
    atomic<std::uint64_t> sleeps_then{0};

    // --- sysmon only ------------------------------------------------------------------------
    m* taken_next = nullptr;        // its p was taken, as that of
    bool is_followed = false;       // on that list, or on its way there; under take's lock
    std::int64_t cpu_seen = 0;      // its thread's clock when last looked at
    std::int64_t cpu_then = 0;      // and when it had last stood still, or was last judged,
    std::int64_t then = 0;          // which was at this moment
    std::int64_t allowance = 0;     // ns of its own time that it may run from then on
    std::uint32_t stay = 0;         // the one of `stays` that this is about
    std::uint64_t sleeps_seen = 0;  // how often its thread had slept when the allowance ended
    bool sleeps_known = false;      // `sleeps_seen` is of this stay
    std::int64_t cpu_awake = 0;     // the clock of this thread when the kernel last said that it is
    int tid_awake = 0;              // awake,
    std::int64_t awake_at = 0;      // at this moment
    bool was_let_go = false;     // it was stopped, and goes on without a p for the sake of others
    std::int64_t turn_used = 0;  // ns of its turn that it has had when it lent its p; 0: it has not
    std::int64_t turn_spent = 0;  // ns that it had computed in its turn when its p was last taken
    std::int64_t lent_at = 0;     // when it has last lent one
    // its thread waited for a processor when it lent its p, and ever since
    bool lent_waiting = false;

    // --- fixed once listed ------------------------------------------------------------------
    m* all_link = nullptr;

    g g0;

    void hold(p& its) {
        pp = &its;
        bias = bias_of_p(static_cast<std::uint32_t>(its.id));
    }
    void hold_none() {
        pp = nullptr;
        bias = no_bias;
    }
};

}  // namespace rota::rt
