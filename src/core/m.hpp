// m: a thread that runs goroutines, or a thread of the program's own that uses rota.
//
// The runtime's threads, and a thread inside run(), take a p and schedule. Any other thread gets a
// `foreign` m at its first use of rota. That m never has a p: its operations go through the global
// queue, and its waits block the thread. Ms are never freed: a stale pointer to an m is safe to
// read. A foreign m goes back to a list when its thread ends.
#pragma once

#include <cstdint>

#include "arch/fp_control.hpp"
#include "base/atomic.hpp"
#include "base/rand.hpp"
#include "core/eh_state.hpp"
#include "core/g.hpp"
#include "core/p.hpp"
#include "sys/thread/affinity.hpp"
#include "sys/thread/note.hpp"
#include "sys/thread/self.hpp"
#include "trace/stream.hpp"

namespace rota::rt {

// Finishes the switch away from a g, on the stack that runs next. Must not park.
using switch_action = void (*)(m& self, g& prev);
// Called once gp can be readied safely; false: gp does not wait after all.
using park_commit = bool (*)(g& gp, void* arg);

// How the next entry into the runtime must proceed. Only `clear` is the fast path.
//
//            entersyscall              exitsyscall, or an entry
//     clear ──────────────► in_syscall ────────────────────────► clear
//     clear ──retake_p──► requested ──the m was outside, with a p──► retaken
//                         │      └────it was not──► clear
//                         └───entersyscall, under way already──► in_syscall   (the taker lets go)
//     retaken ──an entry, or the handler that has got a p──► clear
//     in_syscall ──exitsyscall, all ps busy──► retaken ──entersyscall──► in_syscall
//
// The m itself writes in_syscall, clear from in_syscall and retaken, and retaken from in_syscall.
// Only the taker writes `requested` and the states that follow from it: one thread at a time,
// sched/preempt/retake.
enum class entry_state : std::uint32_t {
    clear,
    in_syscall,  // inside blocking(): take a p first
    requested,   // a taker is about to take the p: wait for the outcome, some microseconds
    retaken,     // the p is gone; the goroutine's state is `syscall`: take a p first
};

// An m's last steal, and the m's verdict on it: sched/policy/steal_feedback.
struct steal_record {
    std::int64_t at = 0;          // ns: time of the steal; 0: judged already
    const p* of = nullptr;        // the m's own p then
    std::uint32_t tick = 0;       // sched_tick of that p then
    std::int32_t backoff_ns = 0;  // ns: how long the m leaves further work to other ps
    // limit of a taking from the producer; 0: the usual limit
    std::uint32_t rescue_max = 0;
    std::uint32_t steps_at_rescue = 0;  // when that was last used: steps of the producer
    const p* producer = nullptr;        // the p that the m watches while it leaves work to it
    // When a goroutine was last seen to leave the producer's ring: tick, ring head, and time in ns.
    // Kept between two watches.
    std::uint32_t producer_tick = 0, producer_head = 0;
    std::int64_t moved_at = 0;
};

struct alignas(cache_line) m : self_header {
    // --- owner: the thread itself --------------------------------------------------
    // the goroutine that owns the present stack of the thread; &g0 in the scheduler and in foreign
    // threads
    g* curg = nullptr;
    // null: holds none; cleared by the taker, while the m is locked out. Written by hold,
    // hold_none.
    p* pp = nullptr;
    eh_state* eh = nullptr;         // the thread's exception words
    bubble* commit_in = nullptr;    // bubble of the goroutine that is being parked, if any
    switch_action after = nullptr;  // set before a switch, run right after it
    g* prev = nullptr;              // argument of `after`
    park_commit commit = nullptr;   // of the parking g
    void* commit_arg = nullptr;
    p* old_p = nullptr;           // the p held before blocking()
    bool runs_without_p = false;  // goes on without a p after blocking(), counted in ms_without_p
    // had hardly run in the turn that ended when its p was taken; set by the taker, cleared by a
    // system call
    bool has_hardly_run = false;
    bool leaves_p = false;  // its goroutine gives up the p when it next leaves the runtime
    // ns, when its goroutine last gave up the p by itself, and the thread's CPU time then. 0: it
    // has not; never_had_p: it entered a call without a p.
    static constexpr std::int64_t never_had_p = -1;
    std::int64_t left_p_at = 0, left_p_cpu = 0;
    bool is_told = false;   // a sanitizer of the program is told of its switches; fixed in minit
    bool spinning = false;  // looks for work and is counted in sched.nmspinning
    bool foreign = false;
    // As `foreign`, for the deadlock detector: not counted in sched.m_count. Changed under
    // sched.mu, or before other threads know this one; relaxed: a reader looks again under that
    // lock.
    atomic<bool> is_outside{false};
    bool detach_after_run = false;  // attached by run(), and detached when run() returns
    bool counts_outside = false;    // counted in sched.outside_users
    bool kept_stops_away = false;   // the thread had blocked the stop signal before run()
    // Further actions of goready and newproc when they queue a goroutine; 0: they wake an m.
    std::uint8_t ready_extras = 0;
    static constexpr std::uint8_t ready_quietly = 1;   // wake no m: the caller sees to that
    static constexpr std::uint8_t ready_traced = 2;    // set while the m has a p and a trace runs
    static constexpr std::uint8_t ready_urgently = 4;  // to wait in the ring would take long
    // Set while the m has a p and creation stacks are kept: sched/record/creation.
    static constexpr std::uint8_t ready_creations = 8;
    static constexpr std::uint8_t ready_lasting = ready_traced | ready_creations;
    // ns: waking a sleeping core takes about as long
    static constexpr std::int32_t spin_ns_max = 20'000;
    std::int32_t spin_ns = spin_ns_max;  // ns, how long it next waits for work
    steal_record last_steal;             // the last steal: sched/policy/steal_feedback
    std::uint32_t syscall_tick = 0;      // old_p's syscall_tick at entry
    run_record* run = nullptr;           // this thread's run(), if it is inside one
    rng rand;
    void* signal_stack = nullptr;
    // bottom of the thread's own stack, if is_told; fixed in minit
    const void* told_bottom = nullptr;
    std::size_t told_size = 0;  // bytes of that stack; fixed in minit

    // --- execution traces: the owner, the taker of its p, or, while it has no p, the holder of
    // trace.mu; see sched/record/trace_events
    trace_stream traced;
    bool trace_in_syscall = false;              // in the trace its goroutine is in a system call
    bool trace_preempts = false;                // the next yield answers a request
    std::uint32_t trace_p_seq = 0;              // old_p's trace_seq at the call
    std::uint32_t trace_p_gen = 0;              // old_p's trace_gen at the call
    struct trace_cache* trace_known = nullptr;  // known stacks

    // A thread made by rota: address of the frame of its first function, with own_frames of stack
    // below it that only the scheduler uses; else 0. relaxed: read while the thread is held
    // (sys/signal/hold_threads).
    static constexpr std::size_t own_frames = 64 * 1024;
    atomic<std::uintptr_t> first_frame{0};
    // A thread inside run(): address of the frame below which only the scheduler has frames; else
    // 0. relaxed: read while the thread is held.
    atomic<std::uintptr_t> run_frame{0};
    std::uint64_t id = 0;
    atomic<int> tid{0};  // the kernel's number of the thread; relaxed: fixed while the m has a p
#if defined(ROTA_DEBUG_CHECKS)
    fp_control fp;  // the values that goroutines must leave when they block
#endif

    // --- owner writes, the taker of its p reads ---------------------------------------
    // 1: the m is inside the runtime, and no taker takes its p. Set by a relaxed store, since the
    // reader brings a process-wide barrier; cleared by a release, which hands over the m and its p.
    // An m with a p that is outside runs a goroutine, never g0.
    atomic<std::uint32_t> in_runtime{0};

    // The goroutine that is locked to this thread, which runs no other; &g0: that goroutine has
    // ended. Written by the goroutine. From another thread only a main goroutine on its way here
    // writes it, under sched.mu.
    atomic<g*> locked_g{nullptr};

    // --- owner writes, a scan reads -------------------------------------------------
    // Its goroutine is stopped in the handler of the signal (sched/preempt/suspend), and stays
    // there while a scan runs that has seen this word (sched/preempt/scan).
    atomic<bool> is_still{false};
    gobuf still_at;                  // registers where the signal interrupted the goroutine
    std::uintptr_t still_frame = 0;  // address of the handler's frame; the registers lie above it

    // --- owner writes, sysmon reads --------------------------------------------------
    // Count of its returns from system calls without a p; relaxed: sysmon may be a round late.
    atomic<std::uint32_t> returns_without_p{0};

    // --- anyone writes ------------------------------------------------------------------
    atomic<entry_state> entry{entry_state::clear};
    note park;               // the thread sleeps here
    p* next_p = nullptr;     // written by the waker before park.wakeup(), like the next two
    bool is_placed = false;  // the thread may run on one processor only: sched/queue/placement
    processor_set affinity;  // the affinity to restore then

    // --- guarded by sched.mu --------------------------------------------------------------
    m* idle_next = nullptr;
    m* idle_prev = nullptr;
    bool is_idle = false;                // on sched's idle list
    bool locked_idle = false;            // sleeps until its locked goroutine is to run
    bool locked_ready = false;           // its locked goroutine is to run, and has left its queue
    m* suspended_next = nullptr;         // sched/queue/suspended_queue: next m in line for a p
    std::uint32_t suspended_ticket = 0;  // its turn comes at this value of runq.popped()
    // its thread is being made, and it has a p: see sched.starting_ms
    m* starting_next = nullptr;
    m* to_make_next = nullptr;      // next in the list of threads to make: sched/m/template_thread
    bool is_standby = false;        // counted in sched.standby_count
    bool is_coming = false;         // counted in sched.standbys_coming
    atomic<bool> suspended{false};  // in line for a p; relaxed for readers without the lock

    // --- a foreign thread: written by it, read by a thread that sees it wait -------------------
    std::uint32_t attached = 0;    // number of threads that have had this record; under sched.mu
    std::uint64_t sema_waits = 0;  // its waits in the semaphore table; under the lock of the root

    // --- sysmon sets, the yielding goroutine reads ---------------------------------------
    // The tick of the turn that the last request to yield was meant for, and whether that turn had
    // hardly begun. relaxed, both: advice, written before `preempt`.
    atomic<std::uint32_t> asked_tick{0};
    atomic<bool> asked_early{false};

    // --- sysmon sets, the handler clears ----------------------------------------------------
    // sysmon sent the signal; relaxed: a signal more or less does no harm
    atomic<bool> stop_sent{false};

    // --- the taker of its p sets, the handler answers: sched/preempt/thread_fence -----------
    // number of the last fence asked for; written under take's lock
    atomic<std::uint32_t> fence_asked{0};
    // number of the last fence made; written by the m's thread
    atomic<std::uint32_t> fence_done{0};

    // --- its own thread sets, sysmon reads ----------------------------------------------------
    // The turn (turn_of) in which it has gone on with the goroutine that ran without a p; 0: that
    // goroutine has gone into a queue since. relaxed: a guess, and at worst a turn looks new
    atomic<std::uint64_t> resumed_in_slice{0};
    // Voluntary context switches of its thread until then. Written by the m before
    // resumed_in_slice. relaxed: a guess, as resumed_in_slice
    atomic<std::uint64_t> sleeps_at_resume{0};

    // --- sysmon only ------------------------------------------------------------------------
    m* retaken_next = nullptr;      // next in a list of ms that have lost their p
    bool is_followed = false;       // on that list, or on its way there; under take's lock
    std::int64_t cpu_seen = 0;      // ns: CPU time of its thread at the last look
    std::int64_t observed_cpu = 0;  // ns: CPU time when it last stood still or was judged
    std::int64_t observed_at = 0;   // ns: that moment
    std::int64_t allowance = 0;     // ns of CPU time that it may use without a p from then on
    // value of `returns_without_p` that this observation is about
    std::uint32_t observed_return = 0;
    std::uint64_t sleeps_seen = 0;  // sleeps of its thread when the last allowance ended
    bool sleeps_known = false;      // `sleeps_seen` is valid for this return
    std::int64_t cpu_awake = 0;     // ns: CPU time when the kernel last said `awake`: state_at
    int tid_awake = 0;              // the thread that the kernel said that of; 0: none
    std::int64_t awake_at = 0;      // ns: when the kernel was last asked
    // was stopped, and goes on without a p so that others can go on
    bool released_without_p = false;
    std::int64_t slice_used = 0;      // ns: length of its turn when it lent its p; 0: it has not
    std::int64_t slice_computed = 0;  // ns computed in its turn when its p was last taken
    std::int64_t lent_at = 0;         // ns: when it last lent its p
    bool lent_waiting = false;        // waited for a processor when it lent its p, and ever since

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
