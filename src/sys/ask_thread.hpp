// Asking another thread for something that it alone can say: where it stands, with the registers
// that it has there.
//
// It answers in the handler of the signal by which the runtime stops threads anyway. A system call
// in which it sleeps would be interrupted, and some return with EINTR whatever handler has run: so
// nobody is asked who sleeps, but by a process that is about to end.
#pragma once

#include <cstdint>

#include "arch/context.hpp"

namespace rota::rt {

// Runs in the handler, with all signals but faults held back. Must not block, take locks or
// allocate.
using answer_fn = void (*)(const gobuf& interrupted, void* arg);

// Has that thread call f(.., arg), if shall(arg) says so right before the signal is sent. False: it
// did not within `limit_ns`, as it has ended, blocks the signal, has no processor, or others ask
// all the time; then f is not called any more. Takes no lock, allocates nothing: also for handlers
// and crash reports. Blocks the thread.
[[nodiscard]] bool ask_thread(int tid, bool (*shall)(void* arg), answer_fn f, void* arg,
                              std::int64_t limit_ns);

// For the handler of the stop signal.
void answer_if_asked(const gobuf& interrupted);

// The thread goes no further with the answer in which it may be: something has failed there.
void give_up_answer();

// In the child of a fork, which has been made while another thread asked.
void forget_who_is_asked();

}  // namespace rota::rt
