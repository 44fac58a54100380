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
#include "core/g.hpp"
#include "core/p.hpp"
#include "sys/note.hpp"
#include "sys/self.hpp"

namespace rota::rt {

// Finishes the business of a g that was switched away from, on the stack of whatever runs next.
// Must not park.
using switch_action = void (*)(m& self, g& prev);
// Called once gp can be readied safely; false: do not wait after all.
using park_commit = bool (*)(g& gp, void* arg);

// How the next entry into the runtime must proceed. Only `clear` is the fast path.
enum class entry_state : std::uint32_t {
    clear,
    in_syscall,  // inside blocking(): take a p first
};

struct alignas(cache_line) m : self_header {
    // --- owner: the thread itself --------------------------------------------------
    g* curg = nullptr;  // whose stack the thread is on; &g0 in the scheduler and in foreign threads
    p* pp = nullptr;    // null: holds none
    eh_state* eh = nullptr;         // the thread's exception words
    bubble* commit_in = nullptr;    // while the park of a goroutine of that bubble is committed
    switch_action after = nullptr;  // set before a switch, run right behind it
    g* prev = nullptr;              // its argument
    park_commit commit = nullptr;   // of the g that parks
    void* commit_arg = nullptr;
    p* old_p = nullptr;     // held before blocking()
    bool spinning = false;  // looks for work and is counted in sched.nmspinning
    bool foreign = false;
    bool detach_after_run = false;   // attached by run(): leaves with it
    bool ready_quietly = false;      // goready wakes no m: the caller looks after that
    std::int32_t spin_ns = 0;        // how long it waited for work the last time it had none
    std::uint32_t syscall_tick = 0;  // old_p's tick at entry
    run_record* run = nullptr;       // the run() of this thread, if it is inside one
    rng rand;
    void* signal_stack = nullptr;
    std::uint64_t id = 0;
#if defined(ROTA_DEBUG_CHECKS)
    fp_control fp;  // as goroutines must leave it when they block
#endif

    // --- owner writes, sysmon reads --------------------------------------------------
    // relaxed: in_runtime is read behind a process-wide barrier, the rest is advice.
    atomic<std::uint32_t> in_runtime{0};

    // --- anyone writes ------------------------------------------------------------------
    atomic<entry_state> entry{entry_state::clear};
    atomic<bool> preempt{false};  // the running g is asked to yield; relaxed: advice
    note park;                    // the thread sleeps here
    p* next_p = nullptr;          // written by the waker before park.wakeup()

    // --- guarded by sched.mu --------------------------------------------------------------
    m* idle_next = nullptr;
    m* idle_prev = nullptr;
    bool is_idle = false;  // on sched's idle list

    // --- fixed once listed ------------------------------------------------------------------
    m* all_link = nullptr;

    g g0;
};

}  // namespace rota::rt
