// The context of a goroutine that does not run, and the switch between two contexts.
//
// A switch saves the stack pointer, the frame pointer and the address to go on at. Every other
// register is declared clobbered, so the compiler saves only the live ones. The switch is inline
// assembly in the function that blocks: a called routine would add a return that the processor
// mispredicts. Nothing is pushed. So the frame description of the enclosing function holds on both
// sides of the jump, and a parked stack can be unwound from `pc`.
//
// MXCSR and the x87 control word (FPCR on AArch64) belong to the thread: saving them costs 2-3 ns a
// switch. A goroutine that changes them restores them before it blocks.
#pragma once

namespace rota::rt {

struct gobuf {
    void* sp = nullptr;  // offset 0, known to the assembly
    void* pc = nullptr;  // offset 8
    void* bp = nullptr;  // offset 16
};
static_assert(sizeof(gobuf) == 24 && __builtin_offsetof(gobuf, pc) == 8 &&
                  __builtin_offsetof(gobuf, bp) == 16,
              "context_switch addresses the fields by number");

}  // namespace rota::rt

#if defined(__x86_64__)
#include "arch/x86_64/context.hpp"
#elif defined(__aarch64__)
#include "arch/aarch64/context.hpp"
#else
#error "rota runs on x86-64 and AArch64"
#endif

// The first frame of every goroutine (arch/*/start.S): clears the frame pointer and goes on to
// rota_goroutine_main. Its frame description marks the end of the stack, and its personality
// routine turns an exception that got here into a panic.
extern "C" void rota_gostart();

// Calls f(arg) so that a walk of the stack from there comes to the frames of the context in `buf`,
// which must not run meanwhile (arch/*/walk.S).
extern "C" void rota_on_context(const rota::rt::gobuf* buf, void (*f)(void*), void* arg);
