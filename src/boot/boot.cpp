// Boots the runtime: makes the rooms ready, in this order. Go: schedinit.
//
//     environment -> crash reports -> processors -> hooks -> sysmon -> end-of-process handler
//
// The first use of rota boots the runtime, on its thread. Nothing here may use a goroutine.
#include "base/env.hpp"
#include "base/fatal.hpp"
#include "base/shortfall.hpp"
#include "boot/exit.hpp"
#include "boot/fork.hpp"
#include "core/sched.hpp"
#include "diag/crash/crash.hpp"
#include "diag/leak/cycle_watch.hpp"
#include "diag/leak/lock_cycles.hpp"
#include "diag/leak/park_watch.hpp"
#include "diag/metrics/schedtrace.hpp"
#include "diag/pages/debugger.hpp"
#include "diag/stack/traceback.hpp"
#include "hook/attach.hpp"
#include "netpoll/poller.hpp"
#include "netpoll/uring.hpp"
#include "sched/base/hooks.hpp"
#include "sched/base/switch_told.hpp"
#include "sched/modes/chaos.hpp"
#include "sched/modes/seeded.hpp"
#include "sched/monitor/preempt_watch.hpp"
#include "sched/monitor/sysmon.hpp"
#include "sched/policy/poll_trial.hpp"
#include "sched/preempt/retake.hpp"
#include "sched/record/creation.hpp"
#include "sched/record/stack_depth.hpp"
#include "sched/world/default_procs.hpp"
#include "sched/world/procresize.hpp"
#include "sync/lock_owners.hpp"
#include "sys/call/clock.hpp"
#include "sys/call/heap.hpp"
#include "sys/call/number.hpp"
#include "sys/call/own_object.hpp"
#include "sys/thread/asymmetric.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

constinit lock boot_lock{lock_rank::boot};
constinit atomic<bool> booted{false};

void schedinit() {
    fill_standard_descriptors();  // before anything is opened
    thread_note_signal_mask();
    sched.fp_at_boot = fp_control::current();
    look_for_tools();
    const environment env = read_environment();
    const bool is_seeded = env.schedseed != 0;
    if (env.asymmetric != 0 && !is_seeded) {  // a repeatable run needs no fences
        if (const int error = asymmetric_init()) note_shortfall(shortfall::membarrier, error);
    }
    if (is_seeded) seeded_begin(static_cast<std::uint64_t>(env.schedseed));
    else if (env.chaos != 0) chaos_begin(static_cast<std::uint64_t>(env.chaos));
    install_crash_reports(env.traceback);
    show_labels_in_traces(env.tracebacklabels != 0);
    if (env.tracebackancestors > 0) keep_creations_from_the_start();
    if (env.stackdepth != 0) keep_stack_depths();
    if (env.heaptrim == 0)
        heap_trim_is_on.store(false, memory_order_relaxed);  // relaxed: a setting
    describe_to_debuggers();
#if defined(ROTA_DEBUG_CHECKS)
    may_lock_here = may_take_lock;
#endif
    sched.started_at = nanotime();
    if (!is_seeded) note_time(sched.started_at);  // a repeatable run has no sysmon to move it on
    limits_init(env.cgroupceil != 0, env.gomaxprocs == 0 && !is_seeded);
    first_procs(env.gomaxprocs > 0 ? env.gomaxprocs : default_procs());
    hooks.schedtrace = env.scheddetail != 0 ? schedtrace_in_detail : schedtrace;
    hooks.schedtrace_period = static_cast<std::int64_t>(env.schedtrace_ms) * 1'000'000;
    if (env.deadlock != 0) {
        constexpr std::int64_t deadlock_period = 500'000'000;
        watch_locks();
        hooks.look_for_deadlocks = report_lock_cycles;
        hooks.deadlock_period = deadlock_period;
    } else {
        locks_begin_unwatched();
    }
    if (!is_seeded && !chaos.on && env.asyncpreemptoff == 0)
        allow_thread_stops(env.preemptsignal, std::int64_t{env.interactiveafter} * 1000);
    poll_mode_trial::fix(static_cast<poll_mode>(env.pollalone));
    // If the kernel has no io_uring, or a container forbids it, the back end stays epoll.
    if (env.uring && !is_seeded) {
        const int error = net_uring.start();
        if (error == 0) net_poller.use(net_uring);
        else net_poller.note_refusal(-error);
        if (error != 0) note_shortfall(shortfall::ring, -error);
    }
    // A repeatable run has a clock and sockets of its own, of which the C library does not know.
    if (!is_seeded)
        hook_attach({env.hook_off, env.hook_traces, env.hook_takes_locks, env.parkcheck_mutexes});
    if (is_seeded) seeded_start();
    else start_sysmon();
    if (env.deadlock != 0 && !is_seeded) start_cycle_watch();
    start_park_watch({env.parkcheck_names, env.parkcheck_mutexes, env.parkcheck_is_fatal});
    if (env.leakcheck != 0) check_leaks_at_exit();
    stop_scheduling_at_exit();
    watch_forks();
}

}  // namespace

void boot_runtime() {
    if (ROTA_UNLIKELY(is_forked_child())) {
        fatal("rota used in the child of a fork, which may only exec or _exit; start processes by "
              "fork and exec, or posix_spawn",
              trace_scope::none);
    }
    if (booted.load(memory_order_acquire)) return;  // pairs(boot.done)
    keep_own_object_loaded();                       // without boot_lock: see there
    const lock_guard guard(boot_lock);
    if (booted.load(memory_order_relaxed)) return;  // relaxed: under the lock
    schedinit();
    booted.store(true, memory_order_release);  // pairs(boot.done)
}

}  // namespace rota::rt
