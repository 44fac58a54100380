// Dead goroutines, kept with their stacks for the next `go`. Hot stacks first: per p a list, last
// in, first out.
//
// A p keeps up to 64 and passes 32 to the global pool when it has more. What nobody has wanted for
// a while is given back to the kernel by sysmon (gfree_release): the pool never keeps for long
// more than was in use at once. Lists are arrays of pointers: passing goroutines on touches none of
// them. Go: gfget, gfput, gfpurge.
#pragma once

#include <cstdint>

#include "core/sched.hpp"

namespace rota::rt {

// A g of the given stack class in state dead, from the lists or on a fresh stack; null if the
// kernel has no memory. pp may be null (a foreign thread). Takes: the gfree lock, at times.
[[nodiscard]] g* gfget(p* pp, std::uint8_t cls);

// Takes back a dead g, off its stack. pp may be null.
void gfput(p* pp, g& gp);

// Passes all that pp keeps to the global pool: the p goes away. Caller: holds pp. Go: gfpurge.
void gfree_purge(p& pp);

// How many of the global pool should go: a sixteenth of what nobody has wanted since the last call.
[[nodiscard]] std::uint64_t gfree_unused();

// Gives the stacks of up to `count` dead goroutines back to the kernel. Both for sysmon.
void gfree_release(std::uint64_t count);

// Dead goroutines whose pages are kept, all lists but those of the ps; a hint.
std::uint64_t gfree_count();

}  // namespace rota::rt
