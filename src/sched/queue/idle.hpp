// Keeps the idle lists: ps without an m, and ms without a p. Both are guarded by sched.mu.
#pragma once

#include "base/annotations.hpp"
#include "core/sched.hpp"

namespace rota::rt {

// Puts a p without work on the idle list. While the world is being stopped the p goes to the
// stopper instead: pidle_get may find none right afterwards. Go: pidleput.
void pidle_put(p& pp) ROTA_REQUIRES(sched.mu);

// While the world is being stopped: gives pp, which the caller has held, to the stopper, with the
// goroutines queued on it. Go: gcstopm, in part.
void give_to_stopper(p& pp) ROTA_REQUIRES(sched.mu);

// Ends the deep sleep of sysmon, if it sleeps deeply: a p gets to work.
void wake_sysmon() ROTA_REQUIRES(sched.mu);

// Takes a p off the idle list, and wakes sysmon from deep sleep; null: no p is idle. Go: pidleget.
[[nodiscard]] p* pidle_get() ROTA_REQUIRES(sched.mu);

// As pidle_get; the p whose timers are due at `now` comes first.
[[nodiscard]] p* pidle_get_due(std::int64_t now) ROTA_REQUIRES(sched.mu);

// As pidle_get, for an m that will spin; without an idle p, notes that a spinner is needed. Go:
// pidlegetSpinning.
[[nodiscard]] p* pidle_get_spinning() ROTA_REQUIRES(sched.mu);

// How many ps are not on the idle list. A hint: used as a bound on spinning and helping only.
inline std::int32_t busy_p_count() {
    return proc_count() - sched.idle_p_count.load(memory_order_relaxed);  // relaxed: a hint
}

// Puts pp, for which there is no m, on the idle list again, and its goroutines on the global queue,
// where an m with any p finds them. `spun`: pp was for a spinner, which is counted no more. For the
// threads that rely on the missing m, sysmon asks for an m again (sched.wake_owed).
void idle_again(p& pp, bool spun) ROTA_REQUIRES(sched.mu);

// Puts the m on the idle list. Go: mput; here the caller looks for a deadlock
// (sched/queue/deadlock).
void midle_put(m& mp) ROTA_REQUIRES(sched.mu);

// Takes off the list the m that became idle last; null: no m is idle. Go: mget.
[[nodiscard]] m* midle_get() ROTA_REQUIRES(sched.mu);

// Takes mp off the list; false if it is not there.
bool midle_remove(m& mp) ROTA_REQUIRES(sched.mu);

}  // namespace rota::rt
