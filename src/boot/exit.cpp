// Stops scheduling at the end of the process, before static objects are destroyed.
//
// Goroutines must not touch static objects that are being destroyed. The handler forbids every m to
// schedule, asks the running goroutines to yield, and waits a bounded time for them. Goroutines
// inside blocking() stay there. Goroutines that compute without ever entering the runtime are left
// behind after 100 ms. The exit status does not change.
#include "boot/exit.hpp"

#include "arch/told_stacks.hpp"
#include "boot/fork.hpp"
#include "core/getg.hpp"
#include "core/sched.hpp"
#include "diag/crash/crash.hpp"
#include "diag/leak/leak_check.hpp"
#include "diag/leak/park_watch.hpp"
#include "sched/modes/seeded.hpp"
#include "sched/preempt/suspend.hpp"
#include "sched/queue/idle.hpp"
#include "sched/thread/foreign_threads.hpp"
#include "sys/call/clock.hpp"
#include "sys/thread/asymmetric.hpp"
#include "sys/thread/thread.hpp"

// The C++ ABI's registration; with a handle of its own, rota can take back its registration.
extern "C" int __cxa_atexit(void (*function)(void*), void* arg, void* dso) noexcept;
extern "C" void __cxa_finalize(void* dso) noexcept;

namespace rota::rt {

namespace {

constexpr std::int64_t grace = 100'000'000;  // ns

char own_handle;                  // its address is the handle
constinit atomic<int> moving{0};  // 1: the registration is moved, not run
constinit atomic<int> ends{0};    // tid of the thread that ends the process; relaxed: read by it
constinit lock exit_lock{lock_rank::boot};
constinit bool checks_leaks = false;  // fixed at boot
constinit bool has_booted = false;    // this copy of the runtime has booted; written at boot

// Whether a goroutine that has lost its p goes on in user code: no p shows it. A goroutine with a
// sleeping thread counts as in a system call, unless the thread sleeps in the runtime: it was
// stopped, and is let go on.
bool any_runs_without_p() {
    for (const m* mp = sched.allm.load(memory_order_acquire); mp != nullptr;  // pairs(m.list)
         mp = mp->all_link) {
        const entry_state at = mp->entry.load(memory_order_seq_cst);  // pairs(exit.flag)
        if (at != entry_state::retaken && at != entry_state::requested) continue;
        if (mp->in_runtime.load(memory_order_acquire) != 0) return true;  // pairs(entry.left)
        const int tid = mp->tid.load(memory_order_relaxed);               // relaxed: see tid
        if (state_of_thread(tid) != thread_state::asleep) return true;
    }
    return false;
}

// Whether another goroutine may still run user code. An m that was let out of the line gets a p
// first, and then gives up its mark (`taken`): the walk of the ms sees the mark, or the walk of the
// ps after that sees the p. The second walk of the ms sees an m whose p is taken in between.
bool others_run() {
    if (any_runs_without_p()) return true;
    for (std::int32_t i = 0; i < proc_count(); ++i) {
        const p& pp = *sched.allp[i];
        if (pp.status.load(memory_order_seq_cst) != p_status::running)
            continue;  // pairs(exit.stopped) pairs(exit.flag)
        return true;
    }
    return any_runs_without_p();
}

// Shows the stacks of live goroutines and the tables of pending timers to a leak checker that runs
// later: the objects to which they refer are not leaked.
void keep_what_lives() {
#if ROTA_ASAN
    for (std::int32_t i = 0; i < made_count(); ++i) sched.allp[i]->timers.with_table(fiber_keep);
    stack_for_each(
        [](const stack_slot& slot, void*) {
            const g_status status = readgstatus(*header_of(slot));
            if (status == g_status::idle || status == g_status::dead) return;
            fiber_keep(slot.usable_lo(), static_cast<std::size_t>(slot.hi - slot.usable_lo()));
        },
        nullptr);
#else
    if (!is_asan_to_be_told()) return;
    stack_for_each(
        [](const stack_slot& slot, void*) {
            const g_status status = readgstatus(*header_of(slot));
            if (status == g_status::idle || status == g_status::dead) return;
            tell_leak_checker(slot.usable_lo(),
                              static_cast<std::size_t>(slot.hi - slot.usable_lo()));
        },
        nullptr);
#endif
}

void ask_all_to_yield() {
    for (m* mp = sched.allm.load(memory_order_acquire); mp != nullptr;
         mp = mp->all_link) {                                                     // pairs(m.list)
        if (mp != getm_or_null()) mp->preempt.store(true, memory_order_relaxed);  // relaxed: advice
    }
}

void stop_scheduling(void*) {
    if (moving.load(memory_order_relaxed) != 0) return;  // relaxed: our own, see below
    if (is_forked_child()) return;                       // no m schedules there
    finish_park_reports();
    if (checks_leaks) report_leaks_at_exit();
    let_report_out();
    ends.store(current_thread_id(), memory_order_relaxed);  // relaxed: see there
    if (m* const self = getm_or_null()) goroutine_becomes_thread(*self);
    {
        const lock_guard guard(sched.mu);
        sched.stopping = true;
        sched.exiting.store(true, memory_order_seq_cst);  // pairs(exit.flag)
        // relaxed: g0 looks at `exiting`
        sched.direct_switch_blockers.fetch_add(1, memory_order_relaxed);
        wake_sysmon();  // it serves threads from now on
    }
    // pairs(fence), with an m that gets a p: this thread sees it, or the m sees the exit
    heavy_fence();
    release_all_suspended();  // the rest of the exit may wait for locks that they hold
    const std::int64_t until = nanotime() + grace;
    // Asks again in each round: an m that was just passing from a goroutine to the next may have
    // missed the request.
    for (ask_all_to_yield(); others_run() && nanotime() < until; ask_all_to_yield()) {
        thread_sleep_ns(50'000);
    }
    let_report_out();
    keep_what_lives();
    seeded_report();
}

// Ends the process after every handler and static destructor: goroutines that were left behind may
// outlive them. A copy of the runtime that has not booted lies in a plugin that may be unloaded
// long before the process ends, and the functions that it calls may be another copy's.
[[gnu::destructor(101)]] void end_of_process() {
    if (has_booted && !is_forked_child()) end_without_report();
}

}  // namespace

bool is_ending_process() {
    // relaxed: written by this thread, or the answer is no
    return sched.exiting.load(memory_order_relaxed) &&
           ends.load(memory_order_relaxed) == current_thread_id();  // relaxed: see there
}

void check_leaks_at_exit() { checks_leaks = true; }

void stop_scheduling_at_exit() {
    const lock_guard guard(exit_lock);
    has_booted = true;
    // To take the old registration back means to run it: with `moving` set it does nothing. The C
    // library then reuses its place.
    moving.store(1, memory_order_relaxed);  // relaxed: read by this thread
    __cxa_finalize(&own_handle);
    moving.store(0, memory_order_relaxed);  // relaxed: as above
    __cxa_atexit(stop_scheduling, nullptr, &own_handle);
}

}  // namespace rota::rt
