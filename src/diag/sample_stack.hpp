// The stack of what a profile's signal has interrupted.
//
// Frame pointers can be followed wherever that was: words of a goroutine's stack are read within
// its bounds, words of any other stack by asking the kernel for them. But libraries are mostly
// compiled without. The unwinder goes by tables, which all code has, and says more where they are
// right; where one is wrong, or a switch of stacks is half done, it may read anywhere, so a fault
// ends the walk (sys/fault_escape). It takes a lock and allocates where code has come without a
// file, and its tables with it (a JIT's, __register_frame): such a process is sampled by frame
// pointers alone, and so is one that handles faults itself.
#pragma once

#include "arch/context.hpp"
#include "diag/profile_ring.hpp"

namespace rota::rt {

// Whether samples may be unwound by tables from now on. Caller: a thread that no profile samples,
// before the first one and once in a while. Allocates.
void look_at_tables();

// Fills the sample's pcs. Caller: the handler of the profile's signal, in which only faults may
// interrupt.
void walk_interrupted(const gobuf& at, cpu_sample& s);

}  // namespace rota::rt
