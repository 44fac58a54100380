// The watching thread.
#include "sched/sysmon.hpp"

#include "base/fatal.hpp"
#include "core/sched.hpp"
#include "sched/gfree.hpp"
#include "sched/hooks.hpp"
#include "sched/m_lifecycle.hpp"
#include "sched/run_queue.hpp"
#include "sched/syscall.hpp"
#include "sched/wakeup.hpp"
#include "sys/clock.hpp"
#include "sys/thread.hpp"

namespace rota::rt {

namespace {

constexpr std::int64_t time_slice = 10'000'000;     // ns: one goroutine's turn
constexpr std::int64_t syscall_grace = 10'000'000;  // ns: a p in a system call that nobody needs
constexpr long nap_min_us = 20, nap_max_us = 10'000;
constexpr long nap_alert_us = 200;  // while wake-ups are left to sysmon
constexpr int alert_rounds = 50;    // without any, after which sysmon is not alert any more
constexpr int quiet_rounds_before_deep_sleep = 10;  // of the longest nap: 100 ms
constexpr std::int64_t scavenge_period = 1'000'000'000;

// A goroutine that has had its slice is asked to yield at its next runtime operation.
void preempt_long_running(p& pp, std::int64_t now) {
    const std::uint32_t tick =
        pp.sched_tick.load(memory_order_relaxed);  // relaxed: a stale value costs one round
    if (pp.seen_sched_tick != tick) {
        pp.seen_sched_tick = tick;
        pp.seen_sched_when = now;
        return;
    }
    if (now - pp.seen_sched_when < time_slice) return;
    pp.seen_sched_when = now;
    m* const mp = pp.mp.load(memory_order_acquire);                    // pairs(p.m)
    if (mp != nullptr) mp->preempt.store(true, memory_order_relaxed);  // relaxed: advice
}

// True if the p was taken.
bool retake_from_syscall(p& pp, std::int64_t now) {
    const std::uint32_t tick =
        pp.syscall_tick.load(memory_order_relaxed);  // relaxed: a stale value costs one round
    if (pp.seen_syscall_tick != tick) {
        pp.seen_syscall_tick = tick;  // a call that began since the last look: give it one round
        pp.seen_syscall_when = now;
        return false;
    }
    const bool needed =
        !runq_empty(pp) || global_has_work() ||
        sched.nmspinning.load(memory_order_relaxed) +  // relaxed: decided again next round
                sched.idle_p_count.load(memory_order_relaxed) ==
            0;
    if (!needed && now - pp.seen_syscall_when < syscall_grace) return false;
    if (!retake_syscall_p(pp)) return false;
    bump(pp.syscall_tick);
    shared_counts.handoffs.fetch_add(1, memory_order_relaxed);  // relaxed: for reports
    handoffp(pp);
    return true;
}

bool retake(std::int64_t now) {
    bool any = false;
    for (std::int32_t i = 0; i < sched.gomaxprocs; ++i) {
        p& pp = *sched.allp[i];
        const p_status status =
            pp.status.load(memory_order_relaxed);  // relaxed: taking it is a compare-and-swap
        if (status == p_status::running) preempt_long_running(pp, now);
        else if (status == p_status::syscall) any = retake_from_syscall(pp, now) || any;
    }
    return any;
}

// A timer that is overdue while its p is busy and another one idles: somebody shall take it.
void help_overdue_timers(std::int64_t now) {
    if (sched.idle_p_count.load(memory_order_relaxed) == 0) return;  // relaxed: a hint
    for (std::int32_t i = 0; i < sched.gomaxprocs; ++i) {
        const std::int64_t when = sched.allp[i]->timers.earliest_hint();
        if (when != 0 && when < now - time_slice / 10) return wakep();
    }
}

bool all_idle() {
    return sched.idle_p_count.load(memory_order_relaxed) == sched.gomaxprocs;
}  // relaxed: a hint

// Sleeps until a p is taken. Returns at once if one is busy already.
void deep_sleep() {
    {
        const lock_guard guard(sched.mu);
        if (!all_idle()) return;
        sched.sysmon_note.clear();
        sched.sysmon_wait.store(true, memory_order_relaxed);  // relaxed: under sched.mu
    }
    sched.sysmon_note.sleep();
}

bool work_waits() {
    if (global_has_work()) return true;
    for (std::int32_t i = 0; i < sched.gomaxprocs; ++i) {
        if (!runq_empty(*sched.allp[i])) return true;
    }
    return false;
}

struct watch {
    long nap_us = nap_min_us;
    int idle_rounds = 0;   // without a retake
    int quiet_rounds = 0;  // with all ps idle and the longest nap
    std::int64_t next_scavenge = 0;
    std::int64_t next_trace = 0;
    bool scavenging = true;
    int alert_left = 0;  // rounds

    void round() {
        if (idle_rounds == 0) nap_us = nap_min_us;
        else if (idle_rounds > 50) nap_us = nap_us * 2 < nap_max_us ? nap_us * 2 : nap_max_us;
        if (alert_left > 0 && nap_us > nap_alert_us) nap_us = nap_alert_us;
        thread_sleep_ns(nap_us * 1000);
        const std::int64_t now = nanotime();
        settle_owed_wakeups();
        idle_rounds = retake(now) ? 0 : idle_rounds + 1;
        help_overdue_timers(now);
        scavenge(now);
        trace(now);
        quiet_rounds = all_idle() && nap_us == nap_max_us ? quiet_rounds + 1 : 0;
        if (quiet_rounds < quiet_rounds_before_deep_sleep || scavenging ||
            hooks.schedtrace_period > 0)
            return;
        deep_sleep();
        idle_rounds = quiet_rounds = 0;
        scavenging = true;
    }

    // See wakep_later.
    void settle_owed_wakeups() {
        if (sched.wake_owed.exchange(false, memory_order_seq_cst)) {  // pairs(wake.owed)
            alert_left = alert_rounds;
            sched.sysmon_alert.store(true, memory_order_seq_cst);  // pairs(wake.owed)
            if (work_waits()) wakep();
        } else if (alert_left > 0 && --alert_left == 0) {
            sched.sysmon_alert.store(false, memory_order_seq_cst);    // pairs(wake.owed)
            if (sched.wake_owed.load(memory_order_seq_cst)) wakep();  // pairs(wake.owed)
        }
    }

    void scavenge(std::int64_t now) {
        if (now < next_scavenge) return;
        next_scavenge = now + scavenge_period;
        scavenging = gfree_scavenge();
    }

    void trace(std::int64_t now) {
        if (hooks.schedtrace_period == 0 || now < next_trace) return;
        hooks.schedtrace();
        next_trace = now + hooks.schedtrace_period;
    }
};

void* sysmon(void*) {
    thread_set_name("rota-sysmon");
    thread_block_signals();
    watch w;
    for (;;) {
        if (sched.exiting.load(memory_order_relaxed)) sleep_for_ever();  // relaxed: looked at again
        w.round();
    }
}

}  // namespace

void start_sysmon() {
    constexpr std::size_t stack_size = 128 * 1024;
    if (const int error = thread_create(sysmon, nullptr, stack_size)) {
        print_error("runtime: failed to create the monitor thread (errno=%d)\n", error);
        fatal("runtime.newosproc", trace_scope::none);
    }
}

}  // namespace rota::rt
