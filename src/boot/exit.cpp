// Stops scheduling at the end of the process, before static objects are destroyed.
//
// Goroutines must not touch static objects that are being destroyed. The handler forbids every m to
// schedule, asks the running goroutines to yield, and waits a bounded time for them: those inside
// blocking() stay there, those that compute without ever entering the runtime are left behind after
// 100 ms. The exit status stays what it was.
#include "boot/exit.hpp"

#include "arch/told_stacks.hpp"
#include "boot/fork.hpp"
#include "core/getg.hpp"
#include "core/sched.hpp"
#include "diag/crash.hpp"
#include "diag/leak_check.hpp"
#include "diag/park_watch.hpp"
#include "sched/idle.hpp"
#include "sched/m_lifecycle.hpp"
#include "sched/seeded.hpp"
#include "sched/suspend.hpp"
#include "sched/threads.hpp"
#include "sys/asymmetric.hpp"
#include "sys/clock.hpp"
#include "sys/thread.hpp"

// The C++ ABI's registration; a handle of our own lets us take back what we registered.
extern "C" int __cxa_atexit(void (*function)(void*), void* arg, void* dso) noexcept;
extern "C" void __cxa_finalize(void* dso) noexcept;

namespace rota::rt {

namespace {

constexpr std::int64_t grace = 100'000'000;  // ns

char own_handle;                  // its address is the handle
constinit atomic<int> moving{0};  // registrations that are being moved, not run
constinit atomic<int> ends{0};    // the thread that ends the process; relaxed: asked about oneself
constinit lock exit_lock{lock_rank::boot};
constinit bool checks_leaks = false;  // fixed at boot
constinit bool has_booted = false;    // this copy of the runtime; written at boot

// Whether a goroutine whose p was taken goes on in user code: no p shows it. A goroutine whose
// thread sleeps counts as in a system call, unless it sleeps in the runtime: stopped, and let go
// on.
bool any_runs_without_p() {
    for (const m* mp = sched.allm.load(memory_order_acquire); mp != nullptr;  // pairs(m.list)
         mp = mp->all_link) {
        const entry_state at = mp->entry.load(memory_order_seq_cst);  // pairs(exit.flag)
        if (at != entry_state::taken && at != entry_state::requested) continue;
        if (mp->in_runtime.load(memory_order_acquire) != 0) return true;  // pairs(entry.left)
        const int tid = mp->tid.load(memory_order_relaxed);               // relaxed: see tid
        if (state_of_thread(tid) != thread_state::asleep) return true;
    }
    return false;
}

// An m that was let out of the line gets a p first and then gives up its mark: it is in the second
// list, or was in the first.
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

// Goroutines that live still hold what they hold, and so do pending timers: a leak checker that
// runs after us must see their stacks and tables.
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
    if (is_forked_child()) return;                       // nobody schedules there
    finish_park_reports();
    if (checks_leaks) report_leaks_at_exit();
    let_report_out();
    ends.store(current_thread_id(), memory_order_relaxed);  // relaxed: see there
    if (m* const self = getm_or_null()) goroutine_becomes_thread(*self);
    {
        const lock_guard guard(sched.mu);
        sched.stopping = true;
        sched.exiting.store(true, memory_order_seq_cst);      // pairs(exit.flag)
        sched.through_g0.fetch_add(1, memory_order_relaxed);  // relaxed: g0 looks at `exiting`
        wake_sysmon();                                        // which serves threads from now on
    }
    // pairs(fence), with an m that gets a p: this thread sees it, or the m sees the exit
    heavy_fence();
    release_all_suspended();  // the rest of the exit may wait for things that they hold
    const std::int64_t until = nanotime() + grace;
    // Asked again each time: an m that was just passing from one goroutine to the next may have
    // missed it.
    for (ask_all_to_yield(); others_run() && nanotime() < until; ask_all_to_yield()) {
        thread_sleep_ns(50'000);
    }
    let_report_out();
    keep_what_lives();
    seeded_report();
}

// Behind all handlers and static destructors, which goroutines that are left behind may outlive. A
// copy that has not booted lies in a plugin that may be unloaded long before the process ends, and
// the functions that it calls may be another copy's.
[[gnu::destructor(101)]] void end_of_process() {
    if (has_booted && !is_forked_child()) end_without_report();
}

}  // namespace

bool is_ending_process() {
    // relaxed: our own, or of no use
    return sched.exiting.load(memory_order_relaxed) &&
           ends.load(memory_order_relaxed) == current_thread_id();  // relaxed: see there
}

void check_leaks_at_exit() { checks_leaks = true; }

void stop_scheduling_at_exit() {
    const lock_guard guard(exit_lock);
    has_booted = true;
    // Taking the old registration back runs it, which `moving` turns into nothing; the C library
    // then reuses its place.
    moving.store(1, memory_order_relaxed);  // relaxed: read by this thread
    __cxa_finalize(&own_handle);
    moving.store(0, memory_order_relaxed);  // relaxed: as above
    __cxa_atexit(stop_scheduling, nullptr, &own_handle);
}

}  // namespace rota::rt
