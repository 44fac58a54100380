// Starts an m when there is an idle p and work, puts it to sleep on its note when there is not, and
// hands ps from m to m.
#pragma once

#include <cstddef>

#include "base/annotations.hpp"
#include "core/sched.hpp"

namespace rota::rt {

// Gives pp, which the caller holds, to `spare`, an m that the caller has taken off the idle list,
// or else to an idle, a stopped or a new m. `spinning`: the caller has counted that m in
// nmspinning. May start a thread. Go: startm.
void startm(p& pp, bool spinning, m* spare = nullptr) ROTA_EXCLUDES(sched.mu);

// As startm, for a spinner. True: the p has gone to an m that does not spin, and the caller is to
// look for a successor, as wakep does.
[[nodiscard]] bool start_spinner(p& pp) ROTA_EXCLUDES(sched.mu);

// Whether pp would next go to the m that is first in line for a p (sched/preempt/suspend), and has
// no other work: then pp needs no other m.
[[nodiscard]] bool is_for_suspended(const p& pp) ROTA_REQUIRES(sched.mu);

// Sleeps until a waker hands this m a p. Go: stopm.
void stopm(m& self) ROTA_EXCLUDES(sched.mu);

// Passes on a p whose m cannot use it any more: to another m if there is work, else to the idle
// list. `spare`: as for startm; it goes back to its list if it is not needed. Go: handoffp.
void handoffp(p& pp, m* spare = nullptr) ROTA_EXCLUDES(sched.mu);

// Binds and unbinds m and p. Go: acquirep, releasep.
void acquirep(m& self, p& pp);
p& releasep(m& self);
// acquirep for an m that had the p in a system call; the caller writes the event of the trace.
void bind_p(m& self, p& pp);

// The process exits: this m never schedules again.
[[noreturn]] void sleep_for_ever();

// Starts a thread of the runtime. Tries for a while if the kernel is short of a resource, then ends
// the process.
void start_thread(void* (*start)(void*), void* arg, std::size_t stack_size);

// Ends the process: the kernel has refused a thread, with this error.
[[noreturn]] void no_thread(int error);

// Starts the thread of mp, a listed and counted record. Returns 0, or the kernel's error. Caller:
// sched/m/maker.
[[nodiscard]] int start_m_thread(m& mp);

// Puts pp, for which there is no m, on the idle list again, and its goroutines on the global queue,
// where an m with any p finds them. `spun`: pp was for a spinner, which is counted no more. For the
// threads that rely on the missing m, sysmon asks for an m again (sched.wake_owed).
void idle_again(p& pp, bool spun) ROTA_REQUIRES(sched.mu);

// Forgets that there was no m for a p (sched.m_missed_since): no work waits for an m. Caller:
// sysmon.
void forget_missed_ms() ROTA_EXCLUDES(sched.mu);

// Takes mp, which has not begun, off sched.unborn: it has a p no longer.
void unlist_unborn(m& mp) ROTA_REQUIRES(sched.mu);

// For the makers of ms: a new record, listed in sched.allm; the record of an m that has ended, or
// a new one; and the way back of a record whose m ends or cannot begin.
[[nodiscard]] m& new_m_record() ROTA_REQUIRES(sched.mu);
[[nodiscard]] m& any_m_record() ROTA_REQUIRES(sched.mu);
void discount_m(m& mp) ROTA_REQUIRES(sched.mu);
// Count an m, and check the count: more ms than the limit end the process, which alone releases
// sched.mu. Both require sched.mu.
void count_m() ROTA_NO_TSA;        // requires sched.mu
void check_m_count() ROTA_NO_TSA;  // requires sched.mu
[[noreturn]] void report_exhaustion(std::int32_t limit);
// Sets up self, on its own thread; each m needs this once.
void minit(m& self);

// Notes the thread's floating-point control words: its goroutines must have the same when they
// block. Debug builds check that.
inline void note_fp_control([[maybe_unused]] m& self) {
#if defined(ROTA_DEBUG_CHECKS)
    self.fp = fp_control::current();
#endif
}

}  // namespace rota::rt
