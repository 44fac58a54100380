// Door: wakes another m when there is more to run than ms that run.
//
// An m that finds nothing spins for a while before it sleeps: it looks through the queues of other
// ps without a g to run. The rules, for GOMAXPROCS ps:
//   * a submitter of work wakes one m if there is an idle p and no m spins;
//   * a spinning m that finds work wakes the next one, if it was the last spinner;
//   * an m that stops spinning without having found work looks once more at every queue.
// The two sides of the barriers (known as "the delicate dance" in Go's proc.go):
//   submitter: queue the g; light_fence (wakep); read idle_p_count, nmspinning
//   spinner:   give up the p (idle_p_count), nmspinning - 1; heavy_fence; read every queue
// If the heavy fence falls before the submitter's fence, the submitter sees that no m spins. If it
// falls behind, the spinner sees the g. If every p is busy the submitter sets need_spinning; an m
// about to idle its p without having spun sees it and spins instead.
#pragma once

#include "base/annotations.hpp"
#include "core/sched.hpp"

namespace rota::rt {

// Wakes or starts an m to spin, if there is an idle p and no spinner. Caller: has just queued a g.
void wakep();

// As wakep, for work that this m will most likely have done before another m is awake: left to
// sysmon, which looks every 200 µs or so whether the work is still there. If sysmon naps for
// longer, wakes an m at once and asks sysmon to be alert.
void wakep_later();

// As wakep, after a g was put into runnext of pp. Where the last ms that looked for work found
// none, because goroutines ready each other and wait in turn, a lone g in runnext is left to sysmon
// as above: it would have run before the m is awake. Caller: the owner of pp.
void wakep_for_next(const p& pp);

// Queues gp, which has become runnable, as self.ready_extras says. Caller: the owner of self's p.
void put_with_extras(m& self, g& gp) ROTA_EXCLUDES(sched.mu);

// Whether an m that has stopped spinning may sleep although a g is in some runnext: the other end
// of wakep_for_next.
[[nodiscard]] bool leave_next_to_sysmon();

// Notes whether a spin found work. Caller: the m that spun.
void note_spin(bool found);
// After many vain spins: the next submitter wakes an m at once, and one more vain spin ends that.
void allow_one_vain_spin();

// Whether a goroutine that wants a lock does better to try again than to park, after `spins` tries.
// The lock's holder may run on another core, and this p has nothing else to run. Caller: inside a
// runtime_entry. Go: sync_runtime_canSpin.
bool is_spinning_worthwhile(int spins);

// Makes the sleeping poller look again if it would sleep past `when`; if no m polls, wakes one.
void wake_poller(std::int64_t when);

// Wakes an m that polls, if none does. Caller: a waiter for a descriptor whose m will not poll by
// itself: a thread of the program's own, or an m that has given its p away. Wakes none if polling
// is left to an m at work (sched/policy/poll_trial).
void want_poller();

}  // namespace rota::rt
