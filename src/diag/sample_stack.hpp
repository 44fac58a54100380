// The stack of what a signal has interrupted.
//
// Frame pointers can be followed wherever that was: words of a goroutine's stack are read within
// its bounds, words of any other stack by asking the kernel for them. But libraries are mostly
// compiled without. The unwinder goes by tables, which all code has, and says more where they are
// right; where one is wrong, or a switch of stacks is half done, it may read anywhere, so a fault
// ends the walk (sys/fault_escape). It takes a lock and allocates where code has come without a
// file, and its tables with it (a JIT's, __register_frame): such a process is sampled by frame
// pointers alone, and so is one that handles faults itself.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arch/context.hpp"

namespace rota::rt {

// Whether stacks may be unwound by tables from now on. Caller: a thread that is not interrupted for
// a sample meanwhile, before the first one and once in a while. Allocates nothing.
void look_at_tables();
// Whether the unwinder finds its tables without a lock, for all code that there was then; and
// faults are ours, so that what goes wrong is left by try_call.
bool are_tables_safe();

// Writes where the calling thread was interrupted, as return addresses, the innermost first, at
// most `max` or interrupted_pcs_max. Returns how many. Caller: the handler of a signal, in which
// only faults may interrupt.
inline constexpr std::size_t interrupted_pcs_max = 256;
std::size_t walk_interrupted(const gobuf& at, std::uintptr_t* pcs, std::size_t max);

// Of the same, what the frame pointers say; also for another thread that stands still.
std::size_t walk_frames(const gobuf& at, std::uintptr_t* pcs, std::size_t max);

}  // namespace rota::rt
