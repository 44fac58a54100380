// Installs alternate signal stacks, and the handler for faults.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arch/context.hpp"

namespace rota::rt {

// The kernel's description of a signal.
struct fault_info {
    int signal;
    int code;                  // siginfo's
    const void* address;       // for faults
    gobuf at;                  // where the thread was
    bool has_program_handler;  // the program had installed a handler before us
    const void* machine;       // ucontext_t: the registers
};

// Gives the calling thread an alternate signal stack, unless it has one. Returns the argument for
// signal_stack_free, or null. signal_stack_free makes `kept` null before it unmaps the memory: the
// holder of the thread reads it (sys/signal/hold_threads).
void* signal_stack_install();
void signal_stack_free(void*& kept);
inline constexpr std::size_t signal_stack_size =
    256 * 1024;  // room for the unwinder and the demangler; only touched pages cost

// Address space of these stacks, in bytes.
std::size_t signal_stack_bytes();

// Calls `handler` for each SIGSEGV, SIGBUS and SIGFPE, for SIGQUIT unless the program handles it,
// and for SIGABRT unless the program handles or ignores it. If `handler` returns false, the
// program's earlier handler runs, or else the signal takes its default course.
void on_fault(bool (*handler)(const fault_info&));
// Whether our handler is still the process's handler for SIGSEGV and SIGBUS.
bool faults_are_ours();

// The caller of the function at whose first instruction the thread is: for a jump to nowhere. The
// stack pointer must point to readable memory.
gobuf caller_of(const fault_info& fault);

// From now on SIGABRT ends the process, as without the runtime.
void signal_leave_abort();

// Calls print(name, value) for each register.
void for_each_register(const fault_info& fault,
                       void (*print)(void* arg, const char* name, std::uint64_t value), void* arg);

}  // namespace rota::rt
