// Alternate signal stacks and the handler for faults.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arch/context.hpp"

namespace rota::rt {

// What the kernel said of a signal.
struct fault_info {
    int signal;
    int code;                  // siginfo's
    const void* address;       // for faults
    gobuf at;                  // where the thread was
    bool has_program_handler;  // the program had installed one before us
    const void* machine;       // ucontext_t: the registers
};

// Gives the calling thread an alternate signal stack of its own, unless it has one. Returns what
// signal_stack_free takes, or null. That makes `kept` null before the memory goes: whoever holds
// the thread looks at it (sys/hold_threads).
void* signal_stack_install();
void signal_stack_free(void*& kept);
inline constexpr std::size_t signal_stack_size =
    256 * 1024;  // room for the unwinder and the demangler; only touched pages cost

// How much address space these have, in bytes.
std::size_t signal_stack_bytes();

// Calls `handler` for each SIGSEGV, SIGBUS and SIGFPE, for SIGQUIT unless the program handles it,
// and for SIGABRT unless the program handles or ignores it. If it returns false, the program's own
// handler of before is called, or else the signal takes its default course.
void on_fault(bool (*handler)(const fault_info&));
// Whether that is still the process's handler for SIGSEGV and SIGBUS.
bool faults_are_ours();

// Calls `handler` for each of this signal, with the registers of what it has interrupted, on the
// alternate stack, with all other signals but faults held back from the thread and errno kept; then
// the program's own handler of before, if there is one: two signals may have become one, and nobody
// knows whose it was. Once.
void on_stop_signal(int signal, void (*handler)(const gobuf& interrupted));
// That signal, or 0.
int stop_signal();

// Who has called the function at whose first instruction the thread is: for a jump to nowhere. The
// stack pointer must point to readable memory.
gobuf caller_of(const fault_info& fault);

// SIGABRT ends the process from now on, as if we were not there.
void signal_leave_abort();

// Calls print(name, value) for each register.
void for_each_register(const fault_info& fault,
                       void (*print)(void* arg, const char* name, std::uint64_t value), void* arg);

}  // namespace rota::rt
