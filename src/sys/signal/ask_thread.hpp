// Asks another thread for its own position: where it stands, with the registers that it has there.
//
// The thread answers in the handler of the signal by which the runtime stops threads. The signal
// would interrupt a system call in which the thread sleeps, and some calls then return EINTR
// whatever handler has run. So only a process that is about to end asks a sleeping thread.
#pragma once

#include <cstdint>

#include "arch/context.hpp"

namespace rota::rt {

// Runs in the handler, with every signal but faults blocked. Must not block, take locks or
// allocate.
using answer_fn = void (*)(const gobuf& interrupted, void* arg);

// Makes thread `tid` call f(.., arg), if shall(arg) returns true right before the signal is sent.
// False: the thread did not call f within `limit_ns`, because it has ended, blocks the signal or
// has no processor, or because other threads ask all the time. After false, f is not called any
// more. Takes no lock and allocates nothing, so handlers and crash reports may call it. Blocks the
// thread.
[[nodiscard]] bool ask_thread(int tid, bool (*shall)(void* arg), answer_fn f, void* arg,
                              std::int64_t limit_ns);

// For the handler of the stop signal.
void answer_if_asked(const gobuf& interrupted);

// Ends the answer that the calling thread may be giving: a fault in it lets it go no further.
void give_up_answer();

// Caller: the child of a fork that was made while another thread asked.
void forget_who_is_asked();

}  // namespace rota::rt
