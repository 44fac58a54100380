// Door: calls that block the thread. Between entersyscall and exitsyscall the p is free for others.
//
//     running ──entersyscall──► p: syscall ──exitsyscall, one CAS──► p: running  (the common way)
//                                   └──retake by sysmon, one CAS──► p: handed off;
//                                                        exit takes an idle p, or queues
//
// The goroutine may use rota in between: its m takes a p again at the first entry
// (entry_state::in_syscall), and the rest of the blocking section is then ordinary running. Go:
// entersyscall, exitsyscall.
//
// A goroutine that blocks without these calls loses its p through sched/take, and gets one back in
// the same way.
#pragma once

#include "core/m.hpp"

namespace rota::rt {

// Caller: a goroutine in user code; in any other thread both do nothing.
void entersyscall();

// Caller: as above. The m and the p may have changed afterwards.
void exitsyscall();

// Leaves the p of a goroutine that blocks undeclared in most of its turns: inside the runtime,
// about to leave it. The goroutine goes on as in a system call, and its p goes to another m. False:
// nothing was done.
[[nodiscard]] bool leave_p(m& self);

// Takes p from a goroutine in a system call, for sysmon. True: the p is the caller's to hand off.
[[nodiscard]] bool retake_syscall_p(p& pp);

}  // namespace rota::rt
