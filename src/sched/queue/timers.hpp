// Door: starts, stops and moves timers, and tells the poller what it must know of them.
//
// A timer lies in the heap of the p on which it was first started. The m of that p runs due timers
// between two goroutines, or an m that has nothing else to do runs them. timer/heap.hpp says who
// owns a timer's memory. A wait with a time limit is made of
//
//     struct limited { atomic<std::uint32_t> decided{0}; g* gp; ... };     // in the waiter's frame
//     t.claim = ...: if decided goes from 0 to `timed out`, return w.gp, else null
//     t.run = wake_g
//     the other waker: if decided goes from 0 to `served`, goready(*w.gp)
//     the waiter: starts t in the commit function of its park, and stop_timer(t) when it is back
//
// claim() runs under the heap's lock, so that stop_timer() never waits: once it has returned, no
// thread touches the timer or the claim's words any more.
#pragma once

#include <algorithm>
#include <limits>

#include "core/g.hpp"
#include "core/p.hpp"
#include "sys/call/clock.hpp"
#include "timer/heap.hpp"

namespace rota::rt {

// Starts t, or moves it if it is started: due at `when` (nanotime), then every `period` ns if that
// is not 0. True: it had been started and not come due, so that this start is void. Any thread,
// also several at once; inside a runtime_entry or a park's commit function. Parks: never. Takes:
// the heap's lock, sched.mu.
bool start_timer(timer& t, std::int64_t when, std::int64_t period = 0);

// As start_timer, for a caller that holds a lock and should wake no thread under it: does not tell
// the poller. True: the caller owes a wake_poller(when) (sched/base/wakeup.hpp).
[[nodiscard]] bool start_timer_quietly(timer& t, std::int64_t when, std::int64_t period = 0);

// Starts a timer for the first time, which no other thread knows yet. Caller and locks as
// start_timer.
void start_new_timer(timer& t, std::int64_t when, std::int64_t period = 0);

// Stops t. True: t had been started, and will not come due. Otherwise t has come due, or never was
// started. Either way no thread touches it afterwards. The poller is not told: it wakes once in
// vain at the former earliest moment, which costs less than to wake it now. Caller and locks as
// above.
bool stop_timer(timer& t);

// Whether goroutines can be begun no more: the process exits, and the caller is the thread that
// then looks at timers for threads. A `run` that would begin a goroutine gives its timer to
// postpone_for_good() instead.
bool is_too_late();

// Starts a timer that has come due for a moment that never comes, so that its object stays where it
// was. True: another thread had started it meanwhile, and that start is void.
[[nodiscard]] bool postpone_for_good(timer& t);

// Readies gp, the current g that parks, at `when`; nothing else will. Caller: the commit function
// of gp's park. Locks as above.
void ready_at(g& gp, std::int64_t when);

// Runs the errands that pop_due has given out. Caller: an m with a p, on g0; sysmon, when the
// process exits.
void run_errands(const timer_errand* due, std::uint32_t n);

// When timers of pp that are due at `when` are to be run: later if timers have just been run.
inline std::int64_t timer_run_at(const p& pp, std::int64_t when) {
    return pp.timers.pace.run_at(when);
}

// When the next timers of pp are to be run; far away without timers. A hint.
inline std::int64_t next_timer_run(const p& pp) {
    const std::int64_t when = pp.timers.earliest_hint();
    return when == 0 ? std::numeric_limits<std::int64_t>::max() : timer_run_at(pp, when);
}

// Whether timers of pp are to be run now; reads the clock only where there are timers.
inline bool are_timers_to_run(const p& pp) {
    return pp.timers.earliest_hint() != 0 && next_timer_run(pp) <= nanotime();
}

// Counts a timer that is due when it is set, and so is never in a heap. Caller: the code that sets
// it, inside a runtime_entry.
void note_due_at_once(timer& t);

// A timer's `run` that readies the g that claim() has returned.
void wake_g(void* gp);

}  // namespace rota::rt
