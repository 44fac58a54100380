// The life of an m's thread, from its first instruction to its last.
#include "sched/m/m_thread.hpp"

#include <cerrno>
#include <cstdio>

#include "base/fatal.hpp"
#include "base/probe.hpp"
#include "sched/base/schedule.hpp"
#include "sched/base/switch_told.hpp"
#include "sched/m/m_record.hpp"
#include "sched/preempt/stop_settings.hpp"
#include "sched/queue/deadlock.hpp"
#include "sched/queue/m_bind.hpp"
#include "sched/record/trace_events.hpp"
#include "sys/signal/signal.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

constexpr std::size_t m_stack_size = 256 * 1024;

}  // namespace

void minit(m& self) {
    set_self(&self);
    note_fp_control(self);
    self.eh = thread_eh_state();
    self.curg = &self.g0;
    self.g0.mp = &self;
    self.g0.is_thread = true;
    self.g0.status.store(g_status::running,
                         memory_order_relaxed);  // relaxed: no other thread looks yet
    self.signal_stack = signal_stack_install();
    self.tid.store(current_thread_id(), memory_order_relaxed);  // relaxed: published with the p
    // Resets sysmon's guesses about the record's last thread. relaxed: sysmon's reads are guesses
    self.resumed_in_slice.store(0, memory_order_relaxed);
    self.sleeps_at_resume.store(~std::uint64_t{0}, memory_order_relaxed);
#if ROTA_ASAN || ROTA_TSAN
    const thread_stack own = current_thread_stack();
    fiber_adopt_thread(self.g0.fib, own.bottom, own.size);
#endif
    thread_begins_told(self);
}

void start_thread(void* (*start)(void*), void* arg, std::size_t stack_size) {
    constexpr int tries = 20;
    int error = 0;
    for (int i = 0; i < tries; ++i) {
        error = thread_create(start, arg, stack_size);
        if (error == 0) return;
        if (error != EAGAIN) break;
        thread_sleep_ns(1'000'000L * (i + 1));  // the kernel may be short of something for a moment
    }
    no_thread(error);
}

void no_thread(int error) {
    fatal("runtime.newosproc", trace_scope::none,
          "runtime: failed to create new OS thread (errno=%zu); may need to increase max user "
          "processes (ulimit -u), kernel.threads-max or the cgroup's pids.max",
          static_cast<std::size_t>(error));
}

namespace {

// Ends the thread of self: the goroutine that was locked to it has ended. Go: mexit.
void end_m(m& self) {
    ROTA_CHECK(self.pp == nullptr && !self.spinning);
    ROTA_PROBE1("m_stop", "8", self.id);
    trace_m_ends(self);
    shared_counts.stack_bytes.fetch_sub(whole_stack_size(m_stack_size),
                                        memory_order_relaxed);  // relaxed: as below
    signal_stack_free(self.signal_stack);
    self.first_frame.store(0, memory_order_relaxed);  // relaxed: see there
    self.in_runtime.store(0, memory_order_release);   // pairs(entry.left)
    self.tid.store(0, memory_order_relaxed);          // relaxed: published by sched.mu
    set_self(nullptr);  // a foreign thread from here on, if a destructor uses rota
    bool dead = false;
    {
        const lock_guard guard(sched.mu);
        discount_m(self);
        dead = is_deadlocked();
    }
    if (dead) confirm_deadlock();
}

// Returns the p that the m was made for; null: the m is a standby m, or another m has taken the p.
p* finish_start(m& self) {
    const lock_guard guard(sched.mu);
    unlist_starting_m(self);
    if (self.is_coming) --sched.standbys_coming;
    self.is_coming = false;
    p* const pp = self.next_p;
    self.next_p = nullptr;
    return pp;
}

void* mstart(void* arg) {
    m& self = *static_cast<m*>(arg);
    thread_take_signal_mask();  // sysmon, which blocks every signal, starts ms as well
    if (stop_settings.stops) (void)thread_unblock_signal(stop_settings.signal);
    // not the settings of the goroutine that happened to start this m
    sched.fp_at_boot.make_current();
    minit(self);
    self.first_frame.store(
        frame_with_stack_below(__builtin_frame_address(0), m_stack_size, m::own_frames),
        memory_order_relaxed);  // relaxed: see there
    char name[16];
    std::snprintf(name, sizeof name, "rota-m%llu", static_cast<unsigned long long>(self.id));
    thread_set_name(name);
    ROTA_PROBE1("m_start", "8", self.id);
    self.in_runtime.store(1, memory_order_relaxed);  // relaxed: its reader brings the barrier
    if (p* const pp = finish_start(self)) acquirep(self, *pp);
    schedule_loop(self);
    end_m(self);
    return nullptr;
}

}  // namespace

int start_m_thread(m& mp) {
    const int error = thread_create(mstart, &mp, m_stack_size);
    if (error == 0) {
        // relaxed, both: for reports
        shared_counts.threads.fetch_add(1, memory_order_relaxed);
        shared_counts.stack_bytes.fetch_add(whole_stack_size(m_stack_size), memory_order_relaxed);
    }
    return error;
}

}  // namespace rota::rt
