// The functions of rota/runtime.hpp.
#include <utility>

#include <rota/detail/pool_engine.hpp>
#include <rota/panic.hpp>
#include <rota/runtime.hpp>

#include "base/annotations.hpp"
#include "base/env.hpp"
#include "base/fatal.hpp"
#include "core/getg.hpp"
#include "core/sched.hpp"
#include "diag/profile/stack_depths.hpp"
#include "diag/stack/stack_text.hpp"
#include "sched/base/hooks.hpp"
#include "sched/base/park.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/goroutine/goexit.hpp"
#include "sched/goroutine/newproc.hpp"
#include "sched/m/m_record.hpp"
#include "sched/m/template_thread.hpp"
#include "sched/thread/lock_thread.hpp"
#include "sched/world/default_procs.hpp"
#include "sys/thread/thread.hpp"

namespace rota::detail {

void preempt_here() {
    if (rt::current_goroutine() == nullptr) return;
    const rt::runtime_entry inside;
}

}  // namespace rota::detail

namespace rota::runtime {

using namespace rota::rt;

int gomaxprocs(int n) {
    boot_runtime();
    if (n <= 0) return current_proc_count();
    const runtime_entry inside;
    return fix_proc_count(n < procs_max ? n : procs_max);
}

void set_default_gomaxprocs() {
    boot_runtime();
    const int wanted = environment_gomaxprocs();
    const runtime_entry inside;
    set_default_proc_count(wanted);
}

int num_cpu() { return processor_count(); }

int num_goroutine() {
    const sched_stats s = read_sched_stats();
    return s.goroutines_created > s.goroutines_ended
               ? static_cast<int>(s.goroutines_created - s.goroutines_ended)
               : 0;
}

int num_thread() {
    const runtime_entry inside;
    const lock_guard guard(sched.mu);
    return sched.m_count + 1;
}

void gc() { detail::pools_collect(); }

void gosched() {
    if (getm_or_null() == nullptr) return;
    const runtime_entry inside;
    gosched_yield();
}

void goexit() {
    if (current_goroutine() == nullptr) {
        panic("rota: goexit called outside goroutines: this thread is the program's own, let its "
              "function return instead");
    }
    goroutine_exit();
}

void lock_os_thread() {
    if (current_goroutine() == nullptr) return;
    start_template_thread();  // in user code: making a thread takes locks of the C library
    if (is_pinned_away())
        panic("rota: lock_os_thread of a main goroutine pinned to another thread");
    const runtime_entry inside;
    lock_thread();
}

void unlock_os_thread() {
    if (current_goroutine() == nullptr) return;
    const runtime_entry inside;
    unlock_thread();
}

pin::pin() : goroutine_(nullptr) {
    g* const gp = current_goroutine();
    if (gp == nullptr) return;
    start_template_thread();  // in user code, as in lock_os_thread: a park here may need a thread
    pin_begin(*gp);
    goroutine_ = gp;
}

pin::~pin() {
    if (goroutine_ == nullptr) return;
    g* const gp = current_goroutine();
    if (gp != goroutine_) fatal("rota: a pin ended in another goroutine than it began in");
    pin_end(*gp);
}

// Its frame is known, and left out, by its name: inlined into the caller it has none.
ROTA_NOINLINE std::string stack(bool all) { return stack_text(all); }

std::uint64_t goid() {
    const g* gp = current_goroutine();
    return gp == nullptr ? 0 : gp->goid;
}

std::size_t set_max_stack(std::size_t bytes) { return set_default_stack(bytes); }

std::vector<stack_depth> stack_depths() {
    std::vector<stack_depth> all;
    for (depth_of_function& d : list_stack_depths()) {
        all.push_back({std::move(d.function), std::move(d.created_by), d.goroutines, d.deepest,
                       d.stack_size});
    }
    return all;
}

int set_max_threads(int n) {
    if (n < 1) panic("rota: set_max_threads: the limit must be at least 1");
    const runtime_entry inside;
    const lock_guard guard(sched.mu);
    const int before = sched.m_max;
    sched.m_max = n;
    check_m_count();
    return before;
}

sched_stats read_sched_stats() {
    boot_runtime();
    sched_stats s{};
    // relaxed: each figure stands for itself. Ended before created, so that the difference is never
    // negative.
    for (std::int32_t i = 0; i < made_count(); ++i) {
        const p_counters& c = sched.allp[i]->counts;
        s.goroutines_ended += c.ended.load(memory_order_relaxed);
        s.parks += c.parks.load(memory_order_relaxed);
        s.steals += c.steals.load(memory_order_relaxed);
        s.stolen += c.stolen.load(memory_order_relaxed);
        s.global_gets += c.global_gets.load(memory_order_relaxed);
        s.syscalls += c.syscalls.load(memory_order_relaxed);
        s.preemptions += c.preemptions.load(memory_order_relaxed);
        s.timers_run += c.timers_run.load(memory_order_relaxed);
    }
    for (std::int32_t i = 0; i < made_count(); ++i) {
        s.goroutines_created += sched.allp[i]->counts.created.load(memory_order_relaxed);
    }
    s.goroutines_created += shared_counts.created.load(memory_order_relaxed);
    s.syscalls += shared_counts.syscalls.load(memory_order_relaxed);
    s.handoffs = shared_counts.handoffs.load(memory_order_relaxed);
    s.wakeups = shared_counts.wakeups.load(memory_order_relaxed);
    s.threads_created = shared_counts.threads.load(memory_order_relaxed);
    return s;
}

}  // namespace rota::runtime
