// Holds the state that every m and p shares: `sched`. Fields are grouped by the lock that guards
// them, or by their writer.
#pragma once

#include <cstdint>

#include "arch/fp_control.hpp"
#include "base/annotations.hpp"
#include "base/atomic.hpp"
#include "core/global_queue.hpp"
#include "core/m.hpp"
#include "core/p.hpp"
#include "core/processor_time.hpp"
#include "sys/thread/lock.hpp"
#include "sys/thread/note.hpp"

namespace rota::rt {

inline constexpr std::int32_t procs_max = 1024;

// The unit by which a locked goroutine raises direct_switch_blockers: only that goroutine and its m
// may not switch directly.
inline constexpr std::uint32_t blockers_per_lock = 1u << 16;

// A run() in progress. Lies in the frame of run(). `done` is set when the main goroutine is done.
struct run_record {
    m* mp = nullptr;  // the calling thread
    atomic<bool> done{false};
};

struct sched_t {
    // --- fixed at boot -----------------------------------------------------------------
    std::int64_t started_at = 0;  // nanotime()
    // the floating-point control that every thread of the runtime begins with
    fp_control fp_at_boot;

    // --- written with the world stopped, under mu; read by proc_count() and made_count() --
    // The ps beyond gomaxprocs are dead and keep their place: ps are never freed.
    p* allp[procs_max] = {};
    std::int32_t gomaxprocs = 0;
    std::int32_t procs_made = 0;

    // --- guarded by mu --------------------------------------------------------------
    alignas(cache_line) lock mu{lock_rank::sched};
    global_queue runq ROTA_GUARDED_BY(mu);
    // Of 61 turns, how many go to the global queue while the local rings do not get empty
    // (sched/queue/run_queue). The mark is runq.pushed() at the moment runq_mark_at: it shows later
    // whether the queue has been served that far.
    std::uint32_t runq_turns ROTA_GUARDED_BY(mu) = 1;
    std::uint32_t runq_mark ROTA_GUARDED_BY(mu) = 0;
    std::int64_t runq_mark_at ROTA_GUARDED_BY(mu) = 0;
    // Goroutines readied by threads of the program's own while all ps were busy, and other urgent
    // goroutines. This queue and runq take turns.
    global_queue urgent ROTA_GUARDED_BY(mu);
    // goroutines taken from `urgent` since runq had its turn: its turn brings as many
    std::uint32_t urgent_lead ROTA_GUARDED_BY(mu) = 0;
    // Goroutines that have not begun, and must not begin while ms are short; sysmon puts them back.
    global_queue deferred_starts ROTA_GUARDED_BY(mu);
    // the goroutine that may begin although ms are short
    g* admitted_start ROTA_GUARDED_BY(mu) = nullptr;
    p* idle_p ROTA_GUARDED_BY(mu) = nullptr;
    processor_time worked ROTA_GUARDED_BY(mu);
    m* idle_m ROTA_GUARDED_BY(mu) = nullptr;
    m* free_foreign ROTA_GUARDED_BY(mu) = nullptr;  // linked by idle_next
    m* free_m ROTA_GUARDED_BY(mu) = nullptr;        // ms with an ended thread, linked by idle_next
    std::int32_t idle_m_count ROTA_GUARDED_BY(mu) = 0;
    std::int32_t locked_idle_count ROTA_GUARDED_BY(mu) = 0;
    std::int32_t m_count ROTA_GUARDED_BY(mu) =
        0;  // ms that schedule: own threads and threads inside run()
    // Grows when a p is taken from the idle list, and when a thread enters run() or leaves it.
    std::uint64_t activity_serial ROTA_GUARDED_BY(mu) = 1;
    std::int32_t m_max ROTA_GUARDED_BY(mu) = 10000;  // the program's limit of ms
    // Three numbers of ms that do not count against m_max. standby_count: the standby ms that
    // sysmon has ordered for ps which it takes from goroutines that do not return
    // (sched/m/standby). standbys_coming: the standby ms that are still to begin. retaken_count:
    // the ms without their p at sysmon's last round, and since.
    std::int32_t standby_count ROTA_GUARDED_BY(mu) = 0;
    std::int32_t standbys_coming ROTA_GUARDED_BY(mu) = 0;
    std::int32_t retaken_count ROTA_GUARDED_BY(mu) = 0;
    std::uint64_t calls_ended ROTA_GUARDED_BY(mu) = 0;  // calls that lost their p and have ended
    // a goroutine has computed for so long that its p was taken
    bool is_anyone_computing ROTA_GUARDED_BY(mu) = false;
    // Time since which a p has had no m because m_max is reached; 0: an m was found, or none was
    // needed. m_missed_last: when an m was last asked for. Written under mu. relaxed: sysmon reads
    // without mu, a round late.
    atomic<std::int64_t> m_missed_since{0};
    std::int64_t m_missed_last ROTA_GUARDED_BY(mu) = 0;
    // time of the kernel's refusal; 0: the last m was made
    std::int64_t m_refused_at ROTA_GUARDED_BY(mu) = 0;
    std::uint64_t m_next_id ROTA_GUARDED_BY(mu) = 0;
    std::int32_t run_count ROTA_GUARDED_BY(mu) = 0;  // run() calls in progress
    // The line: ms with a thread that is stopped in user code until it has a p. It is served in
    // turn with the global queue. Linked by suspended_next.
    m* suspended_first ROTA_GUARDED_BY(mu) = nullptr;
    m* suspended_last ROTA_GUARDED_BY(mu) = nullptr;
    std::uint32_t suspended_count ROTA_GUARDED_BY(mu) = 0;
    std::uint64_t suspended_served ROTA_GUARDED_BY(mu) = 0;  // ms that have left the line
    // Ms that have a p and no thread yet. A thread that needs a p may take the p of such an m.
    // Linked by starting_next.
    m* starting_ms ROTA_GUARDED_BY(mu) = nullptr;
    bool stopping ROTA_GUARDED_BY(mu) = false;     // the process exits: ms sleep for ever
    bool world_stops ROTA_GUARDED_BY(mu) = false;  // a p that is given up goes to the stopper

    // --- written under mu, read by anyone ----------------------------------------------
    alignas(cache_line) atomic<std::uint32_t> runq_size{0};  // length of the queues and the line
    atomic<bool> urgent_waits{false};                        // `urgent` is not empty
    // The p whose full ring every goroutine in runq came from; null if runq holds a goroutine of
    // another source. relaxed: a hint.
    atomic<p*> spiller{nullptr};
    atomic<bool> no_stops{false};  // threads are stopped no longer: exit, a crash report
    atomic<std::int32_t> idle_p_count{0};
    atomic<std::int32_t> foreign_count{0};  // ms of foreign threads
    // Number of ms that came out of a system call while the ps were busy, and run user code without
    // a p. Each m counts itself. It serves as a bound, which several ms may exceed at the same
    // time.
    atomic<std::int32_t> ms_without_p{0};
    atomic<bool> retaking{false};      // sysmon holds a p, or is about to
    atomic<bool> foreign_used{false};  // a thread of the program's own used rota outside run()
    // Number of live threads of the program's own, outside run(), that have used rota: each may
    // bring work. A thread counts itself before it has an m, and is taken off under mu.
    atomic<std::int32_t> outside_users{0};
    // The tid of a thread that used rota before boot and has no m yet; 0: none. Written by that
    // thread.
    atomic<int> early_user{0};
    atomic<std::int32_t> runs_coming{0};  // threads that enter run() and are not yet in m_count
    atomic<bool> exiting{false};          // hint for `stopping`
    atomic<bool> forked{false};           // this is the child of a fork: set in its only thread
    // Count of the reasons against a direct switch: exit of the process, chaos mode, a scan, a stop
    // of the world. In units of blockers_per_lock: goroutines that are locked to their threads, and
    // a trace.
    atomic<std::uint32_t> direct_switch_blockers{0};
    atomic<bool> stop_wanted{false};    // hint for `world_stops`
    atomic<std::uint32_t> scanning{0};  // stacks are being read: sched/preempt/scan
    // scans that also hold the goroutines stopped on their threads
    atomic<std::uint32_t> holding_stopped{0};
    // no new goroutine begins: sched/queue/start_admission; see ms_are_short
    bool ms_short = false;
    bool limit_passed = false;  // more ms than the program may have; see is_limit_passed
    // seconds, see about_now(); written by sysmon, and by a thread that wakes sysmon
    std::uint32_t about_now = 0;

    // --- anyone writes ----------------------------------------------------------------
    alignas(cache_line) atomic<std::int32_t> nmspinning{0};
    atomic<bool> need_spinning{false};
    // ms that found no work since an m last found any; relaxed: advice
    atomic<std::uint32_t> vain_spins{0};
    alignas(cache_line) atomic<std::uint64_t> goid_gen{1};  // 1 is the first main goroutine's

    // --- the poller -----------------------------------------------------------------------
    atomic<std::int64_t> poll_until{
        0};  // the sleeping poller's deadline; 0: none, or it sleeps for ever
    atomic<std::int64_t> last_poll{1};  // 0 while an m sleeps in the poller

    // --- sysmon ----------------------------------------------------------------------------
    atomic<bool> sysmon_wait{false};  // sysmon is in deep sleep, on sysmon_note
    note sysmon_note;
    atomic<bool> sysmon_alert{false};   // sysmon naps briefly: wake-ups may be left to it
    atomic<bool> wake_owed{false};      // a wake-up was left to sysmon
    atomic<bool> single_poller{false};  // work from the network is not shared; writer: sysmon
    atomic<int> sysmon_tid{0};          // written once, by sysmon
    // written once, by the template thread
    atomic<int> template_thread_tid{0};
    // Set by sysmon, or under mu; cleared by sysmon, under mu: sched/queue/deadlock.
    atomic<bool> deadlock_suspected{false};

    // --- a stop of the world: sched/world/stw -----------------------------------------------
    atomic<std::int32_t> stop_wait{0};  // ps that are not in the stopper's hands; under mu
    note stop_note;                     // the stopper sleeps here

    // --- list of all ms: push only ---------------------------------------------------------
    atomic<m*> allm{nullptr};
};
inline constinit sched_t sched;

// GOMAXPROCS: the ps with smaller numbers are alive. It does not change while a thread holds a p or
// sched.mu. For any other thread it is a hint, and every p up to it has been made. It is no
// rota::atomic: it changes only while no goroutine runs, and each look would be a choice for the
// explorer of schedules.
ROTA_ALWAYS_INLINE std::int32_t proc_count() {
    return __atomic_load_n(&sched.gomaxprocs, __ATOMIC_ACQUIRE);  // pairs(procs.count)
}

// How many ps have ever been made. A reader that sums the counters of ps includes the dead ps.
inline std::int32_t made_count() {
    return __atomic_load_n(&sched.procs_made, __ATOMIC_ACQUIRE);  // pairs(procs.count)
}

// Whether no goroutine may begin. Relaxed on both sides, without a pair: it is advice, read at
// every pass through g0, and a pass too many or too few does no harm. A plain word for the reason
// given at proc_count().
ROTA_ALWAYS_INLINE bool ms_are_short() {
    return __atomic_load_n(&sched.ms_short, __ATOMIC_RELAXED);
}

// Whether the count of ms has passed the program's limit since sysmon last looked at it. The excess
// is rota's own, and intended. Written under mu. relaxed: sysmon looks again in its next round.
inline bool is_limit_passed() { return __atomic_load_n(&sched.limit_passed, __ATOMIC_RELAXED); }
inline void note_limit() ROTA_REQUIRES(sched.mu) {
    __atomic_store_n(&sched.limit_passed, sched.m_count > sched.m_max, __ATOMIC_RELAXED);
}

// Seconds of nanotime, at most a round of sysmon late: cheap enough to read at each park. Go notes
// how long a goroutine has waited at a garbage collection. Written once a second, so that its cache
// line stays with its readers. Relaxed, and a plain word, as above.
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
