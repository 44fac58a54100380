// The life of an m: started when there is an idle p and work, asleep on its note when there is not.
#pragma once

#include <cstddef>

#include "base/annotations.hpp"
#include "core/sched.hpp"

namespace rota::rt {

// Gives pp, which the caller holds, to `spare`, an m that it has taken off the idle list, or else
// to an idle or a new m. `spinning`: the caller has counted it in nmspinning. May start a thread.
// Go: startm.
void startm(p& pp, bool spinning, m* spare = nullptr) ROTA_EXCLUDES(sched.mu);

// The same for a spinner. True: the p has gone to an m that does not spin, and the caller is to
// look for a successor, as wakep does.
[[nodiscard]] bool start_spinner(p& pp) ROTA_EXCLUDES(sched.mu);

// Whether the m that is first in line for a p (sched/suspend) is all that pp would do next: then it
// needs no other m.
[[nodiscard]] bool is_for_suspended(const p& pp) ROTA_REQUIRES(sched.mu);

// Sleeps until somebody hands this m a p, or its run() is over. Go: stopm.
void stopm(m& self) ROTA_EXCLUDES(sched.mu);

// Passes on a p whose m cannot use it any more: to another m if anything is to be done, else to the
// idle list. `spare`: as for startm; it goes back to its list if it is not needed. Go: handoffp.
void handoffp(p& pp, m* spare = nullptr) ROTA_EXCLUDES(sched.mu);

// Binds and unbinds m and p. Go: acquirep, releasep.
void acquirep(m& self, p& pp);
p& releasep(m& self);
// acquirep for who has had the p in a system call, and tells the trace itself.
void bind_p(m& self, p& pp);

// The process exits: this m never schedules again.
[[noreturn]] void sleep_for_ever();

// Starts a thread of the runtime; tries for a while where the kernel is short of something, then
// ends the process.
void start_thread(void* (*start)(void*), void* arg, std::size_t stack_size);

// Its end: the kernel has answered with this error.
[[noreturn]] void no_thread(int error);

// Starts the thread of mp, a listed and counted record, if the kernel lets us: 0, or its error.
// Caller: sched/maker.
[[nodiscard]] int start_m_thread(m& mp);

// pp, for which there is no m, is idle once more; whoever comes, with whatever p, finds in the
// global queue what was in its own. `spun`: it was for a spinner, which is counted no more. Whoever
// relies on an m: sysmon asks again.
void idle_again(p& pp, bool spun) ROTA_REQUIRES(sched.mu);

// There was no m for a p, but nothing waits for one. Caller: sysmon.
void forget_missed_ms() ROTA_EXCLUDES(sched.mu);

// mp, which has not begun, has a p no longer.
void unlist_unborn(m& mp) ROTA_REQUIRES(sched.mu);

// For the makers of ms: a record, listed, whether new or of an m that has ended; where that goes
// when its m ends or cannot begin; counting it against the limit, which is fatal to exceed
// (releases sched.mu only to die); what every m needs once, on its own thread.
[[nodiscard]] m& new_m_record() ROTA_REQUIRES(sched.mu);
[[nodiscard]] m& any_m_record() ROTA_REQUIRES(sched.mu);
void discount_m(m& mp) ROTA_REQUIRES(sched.mu);
void count_m() ROTA_NO_TSA;        // requires sched.mu
void check_m_count() ROTA_NO_TSA;  // likewise: ends the process if there are too many already
[[noreturn]] void report_exhaustion(std::int32_t limit);
void minit(m& self);

// The thread's floating-point control words, as they are now, are what its goroutines must leave
// when they block. Debug builds check that.
inline void note_fp_control([[maybe_unused]] m& self) {
#if defined(ROTA_DEBUG_CHECKS)
    self.fp = fp_control::current();
#endif
}

}  // namespace rota::rt
