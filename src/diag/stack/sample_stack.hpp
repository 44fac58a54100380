// Walks the stack of code that a signal has interrupted.
//
// Frame pointers can be followed anywhere: words of a goroutine's stack are read within its bounds,
// words of any other stack by asking the kernel. But libraries are mostly compiled without frame
// pointers. The unwinder goes by tables, which all code has, and finds more frames where the tables
// are right. Where a table is wrong, or a switch of stacks is half done, it may read anywhere, so a
// fault ends the walk (sys/signal/fault_escape). It takes a lock and allocates if the process has
// code without a file (a JIT's, __register_frame). Such a process is sampled by frame pointers
// alone, and so is a process that handles faults itself.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arch/context.hpp"

namespace rota::rt {

// Decides whether stacks may be unwound by tables from now on. Caller: a thread that no sample
// interrupts meanwhile, before the first sample and periodically. Allocates nothing.
void look_at_tables();
// Whether the unwinder finds its tables without a lock, for the code loaded at that time, and
// faults are rota's, so that try_call leaves a failed walk.
bool are_tables_safe();

// Writes return addresses from where the calling thread was interrupted, the innermost first, at
// most `max` or interrupted_pcs_max. Returns their number. Caller: the handler of a signal, in
// which only faults may interrupt.
inline constexpr std::size_t interrupted_pcs_max = 256;
std::size_t walk_interrupted(const gobuf& at, std::uintptr_t* pcs, std::size_t max);

// The same by frame pointers alone; also for another thread that stands still.
std::size_t walk_frames(const gobuf& at, std::uintptr_t* pcs, std::size_t max);

}  // namespace rota::rt
