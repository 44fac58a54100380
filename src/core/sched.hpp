// sched: what all ms and ps share.
#pragma once

#include <cstdint>

#include "arch/fp_control.hpp"
#include "base/annotations.hpp"
#include "base/atomic.hpp"
#include "core/global_queue.hpp"
#include "core/m.hpp"
#include "core/p.hpp"
#include "core/processor_time.hpp"
#include "sys/lock.hpp"
#include "sys/note.hpp"

namespace rota::rt {

inline constexpr std::int32_t procs_max = 1024;

// What a locked goroutine adds to through_g0: only itself and its m may not switch directly.
inline constexpr std::uint32_t through_g0_lock = 1u << 16;

// One run() in progress. Lives in the frame of run(); the main goroutine is done when `done` is
// set.
struct run_record {
    m* mp = nullptr;  // the calling thread
    atomic<bool> done{false};
};

struct sched_t {
    // --- fixed at boot -----------------------------------------------------------------
    std::int64_t started_at = 0;
    fp_control fp_at_boot;  // what every thread of the runtime begins with

    // --- written with the world stopped, under mu; read by proc_count() and made_count() --
    // Those beyond gomaxprocs are dead, and keep their place: ps are never freed.
    p* allp[procs_max] = {};
    std::int32_t gomaxprocs = 0;
    std::int32_t procs_made = 0;

    // --- guarded by mu --------------------------------------------------------------
    alignas(cache_line) lock mu{lock_rank::sched};
    global_queue runq ROTA_GUARDED_BY(mu);
    // How many of 61 turns are theirs who wait there while the rings do not get empty; and how far
    // it had been filled at a moment, to see whether it has come so far a while later.
    std::uint32_t runq_turns ROTA_GUARDED_BY(mu) = 1;
    std::uint32_t runq_mark ROTA_GUARDED_BY(mu) = 0;
    std::int64_t runq_mark_at ROTA_GUARDED_BY(mu) = 0;
    // Readied by threads of the program's own while all ps were busy, and others in a hurry: these
    // and the ones in runq take turns.
    global_queue urgent ROTA_GUARDED_BY(mu);
    std::uint32_t urgent_lead ROTA_GUARDED_BY(mu) = 0;  // taken there since runq had its turn
    // Not begun, and not to begin while ms are short; sysmon puts them back.
    global_queue put_off ROTA_GUARDED_BY(mu);
    g* let_begin ROTA_GUARDED_BY(mu) = nullptr;  // the one that begins all the same
    p* idle_p ROTA_GUARDED_BY(mu) = nullptr;
    processor_time worked ROTA_GUARDED_BY(mu);
    m* idle_m ROTA_GUARDED_BY(mu) = nullptr;
    m* free_foreign ROTA_GUARDED_BY(mu) = nullptr;  // linked by idle_next
    m* free_m ROTA_GUARDED_BY(mu) = nullptr;        // whose thread has ended, likewise
    std::int32_t idle_m_count ROTA_GUARDED_BY(mu) = 0;
    std::int32_t locked_idle_count ROTA_GUARDED_BY(mu) = 0;
    std::int32_t m_count ROTA_GUARDED_BY(mu) =
        0;  // ms that schedule: own threads and threads inside run()
    // Grows when a p is taken from the idle list, and when a thread enters run() or leaves it.
    std::uint64_t stirs ROTA_GUARDED_BY(mu) = 1;
    std::int32_t m_max ROTA_GUARDED_BY(mu) = 10000;  // what the program may ask for
    // Ms that sysmon has ordered for ps which it takes from who does not come (sched/spare), and
    // those of them that are still to begin; and whose p is gone, when sysmon last looked. They
    // stand outside m_max.
    std::int32_t spare_count ROTA_GUARDED_BY(mu) = 0;
    std::int32_t spares_coming ROTA_GUARDED_BY(mu) = 0;
    std::int32_t hostage_count ROTA_GUARDED_BY(mu) = 0;
    std::uint64_t calls_ended ROTA_GUARDED_BY(mu) = 0;     // whose p had been taken meanwhile
    bool is_anyone_computing ROTA_GUARDED_BY(mu) = false;  // so long that its p was taken
    // No m for a p since, m_max being reached; 0: there was one, or no need of one. Written under
    // mu, relaxed: sysmon looks without it, and a round late. And when one was last asked for.
    atomic<std::int64_t> m_missed_since{0};
    std::int64_t m_missed_last ROTA_GUARDED_BY(mu) = 0;
    std::int64_t m_refused_at ROTA_GUARDED_BY(mu) = 0;  // by the kernel; 0: the last one was made
    std::uint64_t m_next_id ROTA_GUARDED_BY(mu) = 0;
    std::int32_t run_count ROTA_GUARDED_BY(mu) = 0;  // run() calls in progress
    // Ms whose thread is stopped in user code until it has a p; they stand in line with the global
    // queue. Linked by suspended_next.
    m* suspended_first ROTA_GUARDED_BY(mu) = nullptr;
    m* suspended_last ROTA_GUARDED_BY(mu) = nullptr;
    std::uint32_t suspended_count ROTA_GUARDED_BY(mu) = 0;
    std::uint64_t suspended_served ROTA_GUARDED_BY(mu) = 0;  // that have left the line
    // Ms that have a p but no thread yet. Who needs a p may take theirs. Linked by unborn_next.
    m* unborn ROTA_GUARDED_BY(mu) = nullptr;
    bool stopping ROTA_GUARDED_BY(mu) = false;     // the process exits: ms sleep for ever
    bool world_stops ROTA_GUARDED_BY(mu) = false;  // a p that is given up goes to the stopper

    // --- written under mu, read by anyone ----------------------------------------------
    alignas(cache_line) atomic<std::uint32_t> runq_size{0};  // the global queue and the line
    atomic<bool> urgent_waits{false};                        // somebody in `urgent`
    // Whose full ring all in runq have come from, and nobody else waits there; or null. Relaxed: a
    // hint.
    atomic<p*> spiller{nullptr};
    atomic<bool> no_stops{false};  // no thread is stopped any more: exit, a crash report
    atomic<std::int32_t> idle_p_count{0};
    atomic<std::int32_t> foreign_count{0};  // ms of foreign threads, now
    // Ms that came out of a system call while all ps were busy, and run user code all the same.
    // Each counts itself; a bound, which a few may pass at once.
    atomic<std::int32_t> ms_without_p{0};
    atomic<bool> retaking{false};      // sysmon holds a p, or is about to
    atomic<bool> foreign_used{false};  // a thread of the program's own used rota outside run()
    // Threads of the program's own outside run() that have used rota and live: each may bring work.
    // Each counts itself before it has an m, and is taken off under mu.
    atomic<std::int32_t> outside_users{0};
    // A thread that used rota before boot and has no m yet, by its tid; 0: none. Written by it.
    atomic<int> early_user{0};
    atomic<std::int32_t> runs_coming{0};  // threads that enter run() and are not yet in m_count
    atomic<bool> exiting{false};          // hint for `stopping`
    atomic<bool> forked{false};           // this is the child of a fork: set in its only thread
    // Who wants no direct switch: the exit of the process, chaos mode, a scan, a stop of the world.
    // Above through_g0_lock: goroutines that are locked to their threads, and a trace.
    atomic<std::uint32_t> through_g0{0};
    atomic<bool> stop_wanted{false};           // hint for `world_stops`
    atomic<std::uint32_t> scanning{0};         // stacks are being read: sched/scan
    atomic<std::uint32_t> holding_stopped{0};  // of those that are stopped on their threads, too
    bool ms_short = false;                     // nobody new begins: sched/spare; see ms_are_short
    bool limit_passed = false;    // more ms than the program may have; see is_limit_passed
    std::uint32_t about_now = 0;  // see there; sysmon writes it, and who wakes sysmon

    // --- anyone writes ----------------------------------------------------------------
    alignas(cache_line) atomic<std::int32_t> nmspinning{0};
    atomic<bool> need_spinning{false};
    atomic<std::uint32_t> vain_spins{0};  // ms that found nothing since one did; relaxed: advice
    alignas(cache_line) atomic<std::uint64_t> goid_gen{1};  // 1 is the first main goroutine's

    // --- the poller -----------------------------------------------------------------------
    atomic<std::int64_t> poll_until{
        0};  // the sleeping poller's deadline; 0: none, or it sleeps for ever
    atomic<std::int64_t> last_poll{1};  // 0 while an m sleeps in the poller

    // --- sysmon ----------------------------------------------------------------------------
    atomic<bool> sysmon_wait{false};  // in deep sleep, on sysmon_note
    note sysmon_note;
    atomic<bool> sysmon_alert{false};  // sysmon naps briefly: wake-ups may be left to it
    atomic<bool> wake_owed{false};     // a wake-up was left to sysmon
    atomic<bool> polls_alone{false};   // sysmon's: what the network brings is not shared
    atomic<int> sysmon_tid{0};         // written once, by itself
    atomic<int> maker_tid{0};          // of the thread that makes threads; likewise
    // Set by sysmon, or under mu; cleared by sysmon, under mu: sched/deadlock.
    atomic<bool> deadlock_suspected{false};

    // --- a stop of the world: sched/stw -----------------------------------------------------
    atomic<std::int32_t> stop_wait{0};  // ps that are not in the stopper's hands; under mu
    note stop_note;                     // the stopper sleeps here

    // --- list of all ms: push only ---------------------------------------------------------
    atomic<m*> allm{nullptr};
};
inline constinit sched_t sched;

// GOMAXPROCS: ps with smaller numbers live. Who holds a p, or sched.mu, sees no change; to others
// the number is a hint, and all ps up to it have been made. Not an atomic of ours: it changes while
// nobody runs, and would be a choice to the explorer of schedules at every look.
ROTA_ALWAYS_INLINE std::int32_t proc_count() {
    return __atomic_load_n(&sched.gomaxprocs, __ATOMIC_ACQUIRE);  // pairs(procs.count)
}

// How many ps there have ever been: whoever adds up what they have counted asks the dead ones too.
inline std::int32_t made_count() {
    return __atomic_load_n(&sched.procs_made, __ATOMIC_ACQUIRE);  // pairs(procs.count)
}

// Relaxed on both sides, without a pair: advice, asked at every pass through g0, and a pass more or
// less does no harm. No atomic of ours for the same reason.
ROTA_ALWAYS_INLINE bool ms_are_short() {
    return __atomic_load_n(&sched.ms_short, __ATOMIC_RELAXED);
}

// Whether there have been more ms than the program may have since sysmon last looked at that: ours,
// as it is meant. Written under mu. relaxed: sysmon looks again in its next round.
inline bool is_limit_passed() { return __atomic_load_n(&sched.limit_passed, __ATOMIC_RELAXED); }
inline void note_limit() ROTA_REQUIRES(sched.mu) {
    __atomic_store_n(&sched.limit_passed, sched.m_count > sched.m_max, __ATOMIC_RELAXED);
}

// The seconds of nanotime, a round of sysmon late: what a park can afford to ask. Go learns how
// long a goroutine has waited when a collection comes by. Written once a second, so that its cache
// line stays with its readers. Relaxed, and no atomic of ours, as above.
ROTA_ALWAYS_INLINE std::uint32_t about_now() {
    return __atomic_load_n(&sched.about_now, __ATOMIC_RELAXED);
}

constexpr std::uint32_t whole_seconds(std::int64_t now) {
    return static_cast<std::uint32_t>(now / 1'000'000'000);
}

inline void note_time(std::int64_t now) {
    const std::uint32_t seconds = whole_seconds(now);
    if (seconds != about_now()) __atomic_store_n(&sched.about_now, seconds, __ATOMIC_RELAXED);
}

// Whether the run() that this m serves must return.
inline bool is_run_over(const m& self) {
    return self.run != nullptr && self.run->done.load(memory_order_acquire);  // pairs(run.done)
}

}  // namespace rota::rt
