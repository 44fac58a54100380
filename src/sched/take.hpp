// Taking the p of an m that runs user code, or sits in the kernel, without its help.
//
// Whoever is outside the runtime does not touch its p, so the p can go to another m meanwhile. The
// m's goroutine stays on its thread and is, from then on, in the state of a system call: at its
// next entry into the runtime the m gets a p again, as out of blocking().
//
//     taker: entry: clear -> requested                  m: in_runtime := 1
//            heavy_fence (membarrier)                      the compiler's fence
//            in_runtime = 0?  the p is the taker's,        entry = clear?  nobody takes the p until
//                             entry := taken               in_runtime := 0; otherwise reenter_slow
//            otherwise        entry := clear
//
// The heavy fence runs on every processor of the process. Where it falls before the m's store, the
// m's load comes after the request and sees it: the m waits for the outcome, and is locked out
// until then. Where it falls behind, the taker sees the store, and lets go. Of an m inside the
// runtime nothing is taken: a request to yield (m::preempt) is honoured at the end of each
// operation.
//
// An m that comes out of a system call when all ps are busy goes the same way of itself: for as
// long as its goroutine does not enter the runtime, and GOMAXPROCS ms at most.
//
// Without membarrier (a kernel or a seccomp filter that refuses it, GODEBUG=asymmetric=0) the fence
// is one on the m's thread alone: sched/thread_fence. That can fail, and the taker lets go then.
#pragma once

#include "base/annotations.hpp"
#include "core/m.hpp"
#include "core/p.hpp"

namespace rota::rt {

// Takes pp from its m, if that is outside the runtime. True: pp is the caller's to hand off, in
// state `running` and without an m, and its former m's goroutine is in state `syscall`. Any thread
// that neither is a goroutine outside the runtime nor holds sched.mu. Parks: never. Without
// membarrier it may take 1 ms.
//
// To the deadlock detector the m looks as in a system call. While the caller, if it is no m, holds
// the p, all ms may be asleep: sched.retaking says so. `hardly_run`: the m had the p, but no
// processor; when its goroutine wants a p again, it does not stand behind those that compute.
enum class take_from : std::uint8_t { computing, hardly_run, blocked };
[[nodiscard]] bool take_p(p& pp, take_from what = take_from::computing);

// What is known of gp's last turn: it ended in a call that blocked, or it was over soon. Caller: gp
// itself, or the taker of its p.
void note_blocked_turn(g& gp);
void note_short_turn(g& gp);
void forget_blocked_turns(g& gp);

// For sysmon, which follows those whose p was taken: the ms that have become such since it last
// asked, linked by taken_next; and whether one of them is none any more, in which case it is not
// followed from then on.
m* ms_just_taken();
[[nodiscard]] bool is_back(m& mp);

// For debug builds: whether the m may take a lock of the runtime where it is. A goroutine outside
// the runtime may not: whoever waits for it would wait for one that others may stop.
bool may_take_lock(const self_header& me);

// For the m itself, inside the runtime, without a p in a system call: from here on it is one whose
// p was taken, though not for long.
void stay_without_p(m& self);
// The same, for as long as it blocks: not counted among those that go on without a p.
void run_as_taken(m& self);
// The m itself, about to get a p, to wait for one, or to enter a system call.
void stays_no_longer_without_p(m& self);

// For the m itself, inside the runtime: waits until no request is under way. What it returns is
// clear, in_syscall or taken, and stays so until the m changes it, if it is not clear.
entry_state wait_for_outcome(m& self);

}  // namespace rota::rt
