// Door: frees the p of a goroutine for another m while a call blocks its thread: between
// entersyscall and exitsyscall. Go: entersyscall, exitsyscall.
//
//     running ──entersyscall──► p: syscall ──exitsyscall, one CAS──► p: running  (the common way)
//                                   └──retake by sysmon, one CAS──► p: handed off;
//                                                        exit takes an idle p, goes on
//                                                        without a p, or queues
//
// The goroutine may use rota in between: its m takes a p again at the first entry
// (entry_state::in_syscall), and the rest of the blocking section is then ordinary running.
//
// A goroutine that blocks without these calls loses its p through sched/preempt/retake, and gets a
// p back in the same way.
#pragma once

#include "core/m.hpp"

namespace rota::rt {

// Caller: a goroutine in user code; in any other thread entersyscall and exitsyscall do nothing.
void entersyscall();

// Caller: as above. The m and the p may have changed afterwards.
void exitsyscall();

// Gives away the p of a goroutine that blocks in most of its turns without these calls. The
// goroutine goes on as in a system call, and its p goes to another m. False: nothing was done.
// Caller: self, inside the runtime, about to leave it.
[[nodiscard]] bool leave_p(m& self);

// Takes pp from a goroutine in a system call. True: pp is the caller's to hand off. Caller: sysmon.
[[nodiscard]] bool retake_syscall_p(p& pp);

}  // namespace rota::rt
