// Takes the p of an m that runs user code, or sits in the kernel, without its help.
//
// An m outside the runtime does not touch its p, so the p can go to another m meanwhile. The m's
// goroutine stays on its thread and is, from then on, in the state of a system call. At its next
// entry into the runtime the m gets a p again, as out of blocking().
//
//     taker: entry: clear -> requested                  m: in_runtime := 1
//            heavy_fence (membarrier)                      the compiler's fence
//            in_runtime = 0?  the p is the taker's,        entry = clear?  it keeps the p until
//                             entry := retaken             in_runtime := 0; otherwise reenter_slow
//            otherwise        entry := clear
//
// The heavy fence runs on every processor of the process. Where it falls before the m's store, the
// m's load comes after the request and sees it: the m waits for the outcome, and is locked out
// until then. Where it falls behind, the taker sees the store, and lets go. A taker takes nothing
// from an m inside the runtime: such an m honours a request to yield (m::preempt) at the end of
// each operation.
//
// An m that comes out of a system call when all ps are busy enters the same state by itself: for as
// long as its goroutine does not enter the runtime, and GOMAXPROCS ms at most.
//
// Without membarrier (a kernel or a seccomp filter that refuses it, GODEBUG=asymmetric=0) the fence
// is one on the m's thread alone: sched/preempt/thread_fence. That can fail, and the taker lets go
// then.
#pragma once

#include "base/annotations.hpp"
#include "core/m.hpp"
#include "core/p.hpp"

namespace rota::rt {

// Takes pp from its m, if the m is outside the runtime. True: pp is the caller's to hand off, in
// state `running` and without an m, and its former m's goroutine is in state `syscall`. Caller: any
// thread that neither is a goroutine outside the runtime nor holds sched.mu. Parks: never. Without
// membarrier it may take 1 ms.
//
// To the deadlock detector the m looks as in a system call. While the caller, if it is no m, holds
// the p, all ms may be asleep: sched.retaking says so. `hardly_run`: the m had the p, but no
// processor. When its goroutine wants a p again, it does not stand behind goroutines that compute.
enum class retake_from : std::uint8_t { computing, hardly_run, blocked };
[[nodiscard]] bool retake_p(p& pp, retake_from what = retake_from::computing);

// Note the outcome of gp's last turn: it ended in a call that blocked, or it was over soon. Caller:
// gp itself, or the taker of its p.
void note_blocked_turn(g& gp);
void note_short_turn(g& gp);
void forget_blocked_turns(g& gp);

// Returns the ms whose p was taken since the last call, linked by retaken_next. is_back: whether mp
// has a p, or waits for one, again; sysmon follows it no longer. Caller: sysmon.
m* ms_just_retaken();
[[nodiscard]] bool is_back(m& mp);

// For debug builds: whether the m may take a lock of the runtime. A goroutine outside the runtime
// may not: a waiter for the lock would wait for a goroutine that other threads may stop.
bool may_take_lock(const self_header& me);

// Puts self, inside the runtime and without a p after a system call, in the state of an m whose p
// was taken, though not for long. Caller: self.
void run_without_p(m& self);
// As run_without_p, while self blocks: not counted among the ms that go on without a p.
void run_as_retaken(m& self);
// Ends run_without_p. Caller: self, about to get a p, to wait for one, or to enter a system call.
void end_run_without_p(m& self);

// Waits until no request is under way. Returns clear, in_syscall or taken; a value other than clear
// stays so until the m changes it. Caller: self, inside the runtime.
entry_state wait_for_outcome(m& self);

}  // namespace rota::rt
