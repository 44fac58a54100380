// Lends the p of a computing goroutine to another m for a moment, and gives it back.
//
// A goroutine that computes makes room, before its slice is over, for a goroutine that a timer or a
// foreign thread has readied. To stop its thread and to wake it again would cost some ten
// microseconds each, mostly more than the urgent goroutine needs. So sysmon takes the p, but leaves
// the thread alone for 0.2 ms of its own time. The p remembers its lender, and goes back when no
// urgent goroutine is left. The m that holds it then puts it on the idle list, and sends the lender
// the signal that otherwise stops threads (sched/preempt/suspend). The signal's handler finds an
// idle p.
//
//     sysmon: retake_p, lend ──► an idle m: timers, urgent ones, its ring ──► return_to_lender
//                                  │ it takes too long                           │ lender goes on
//                                  └──► sysmon stops the lender, as any other m without a p
//
// A thread that waits for a processor of the machine is a lender as well. If its p went to the next
// stopped thread, that thread would wait too. On a machine that other programs keep busy, every
// computing thread would become runnable. The lender must not have slept since it was stopped last:
// then it was most likely computing when it lost the processor. A lender that the kernel preempted
// inside a call, before the call slept, looks the same, and its call gets EINTR. The lender gets
// its p back within 10 ms, and only if its clock has not moved since: a thread that has run may be
// about to block.
//
// Any m may take the idle p before the lender does: then the lender joins the stopped threads. A
// lender that enters the runtime by itself takes this p, or another idle p.
//
// While the p is lent, urgent goroutines run one after the other, and the global queue waits.
// Goroutines that ready each other would keep the ring from being empty for ever. So lending ends
// once that queue has waited for 122 turns, or behind a slice.
#pragma once

#include "base/annotations.hpp"
#include "core/sched.hpp"

namespace rota::rt {

// Notes that pp, which the caller has taken from lender, is lent. The caller then gives it to an m
// that has been set aside for it. `clock`: CPU time of the lender's thread if it has waited for a
// processor; else -1.
void lend(p& pp, m& lender, std::int64_t clock);

// True: pp, which the caller holds without being its m, goes back to its lender. False: pp has no
// lender; the lender has a p again, stands in line, or sleeps; or there is work for pp.
[[nodiscard]] bool return_to_lender(p& pp) ROTA_EXCLUDES(sched.mu);

// Whether pp is lent. Caller: pp's m, when goroutines wait in the global queue. Once they have
// waited for long enough, pp counts as its holder's own.
[[nodiscard]] bool is_lent_still(p& pp);

// Lends pp again if its lender has not come yet. Caller: an m that has taken pp, which was idle,
// for timers or descriptors that are due.
void go_on_lending(p& pp) ROTA_REQUIRES(sched.mu);

// Whether each idle p was given back, after `since`, to a lender that waits for a processor and has
// not come yet, and the queues of every p are empty. A hint. Caller: sysmon.
[[nodiscard]] bool do_lenders_come(std::int64_t since) ROTA_EXCLUDES(sched.mu);

}  // namespace rota::rt
