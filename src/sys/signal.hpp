// Alternate signal stacks and the handler for faults.
#pragma once

#include <cstddef>

namespace rota::rt {

// What the kernel said of a fault.
struct fault_info {
    int signal;
    const void* address;
    const void* pc;
    const void* sp;
};

// Gives the calling thread an alternate signal stack of its own, unless it has one. Returns what
// signal_stack_free takes, or null.
void* signal_stack_install();
void signal_stack_free(void* stack);

// Calls `handler` for each SIGSEGV and SIGBUS. If it returns, the program's own handler of before
// is called, or else the signal takes its default course.
void on_fault(void (*handler)(const fault_info&));

}  // namespace rota::rt
