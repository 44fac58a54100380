// A p that is lent for a moment.
//
// A goroutine that computes makes room, before its turn is over, for one that a timer or a thread
// of the program's own has readied. To stop its thread and to wake it again would cost it some ten
// microseconds each, mostly more than the other one needs. So its p is taken, but its thread is
// left alone for 0.2 ms of its own time. The p remembers its host, and goes back when nobody is in
// a hurry any more: whoever then holds it puts it on the idle list and sends the host the signal by
// which it would be stopped otherwise (sched/suspend); its handler finds an idle p.
//
//     sysmon: take_p, lend ──► an idle m: timers, urgent ones, its ring ──► give_back ──► the host
//                                │ it takes too long                                      goes on
//                                └──► sysmon stops the host, as any other without a p
//
// A thread that waits for a processor of the machine is a host as well. If its p went to the next
// stopped thread, that thread would wait too, and on a machine that other programs keep busy all
// threads that compute would become runnable. The host must not have slept since it was stopped
// last: then it was most likely computing when it lost the processor. A host that the kernel
// preempted inside a call, before the call slept, looks the same, and its call gets EINTR. The host
// gets its p back within 10 ms, and only if its clock has not moved since: a thread that has run
// may be about to block.
//
// Any m may take the idle p before the host does: then the host joins the stopped threads. A host
// that comes into the runtime of itself takes this p, or another idle p.
//
// While the p is lent, urgent goroutines run one after the other, and the global queue waits.
// Goroutines that ready each other would keep the ring from being empty for ever. So lending ends
// once that queue has waited for 122 turns, or behind a slice.
#pragma once

#include "base/annotations.hpp"
#include "core/sched.hpp"

namespace rota::rt {

// Gives pp, which the caller has taken from host, to an m that has been set aside for it. `clock`:
// that of the host's thread, which has waited for a processor; or -1.
void lend(p& pp, m& host, std::int64_t clock, m& to) ROTA_EXCLUDES(sched.mu);

// True: pp, which the caller holds without being its m, goes back to its host. It does not if there
// is none, if that one has a p again, stands in line or sleeps, or if others have work for pp.
[[nodiscard]] bool give_back(p& pp) ROTA_EXCLUDES(sched.mu);

// Whether pp, whose m asks because others wait in the global queue, is lent. One that they have
// waited for long enough is its holder's own from now on.
[[nodiscard]] bool is_lent_still(p& pp);

// Lends pp again if its host has not come yet. Caller: an m that has taken pp, which was idle, for
// timers or descriptors that are due.
void go_on_lending(p& pp) ROTA_REQUIRES(sched.mu);

// Whether each idle p was given back, after `since`, to a host that waits for a processor and has
// not come yet, and no other p has goroutines to steal. A hint. Caller: sysmon.
[[nodiscard]] bool do_hosts_come(std::int64_t since) ROTA_EXCLUDES(sched.mu);

}  // namespace rota::rt
