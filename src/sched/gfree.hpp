// Dead goroutines, kept with their stacks for the next `go`. Hot stacks first: per p a list, last
// in, first out.
//
// A p keeps up to 64 of the size that goroutines get unless they ask for another, and passes 32 to
// the global pools, one per size, when it has more. If that size is changed, a p lets go of what it
// has the next time it takes or keeps one of the new size. What nobody has wanted for
// a while is given back to the kernel by sysmon (gfree_release): a pool never keeps for long
// more than was in use at once. Lists are arrays of pointers: passing goroutines on touches none of
// them. Go: gfget, gfput, gfpurge.
//
// When no goroutine has run for a second, sysmon gives all dead goroutines back, those of the ps
// too (gfree_gather_idle). A process that stays idle then keeps no stack that nobody uses. A
// process that works again after more than a second takes fresh pages, about 1 us a goroutine.
#pragma once

#include <cstdint>

#include "core/sched.hpp"

namespace rota::rt {

// The stack class of goroutines that ask for no size: runtime::set_max_stack. relaxed: a setting.
inline constinit atomic<std::uint8_t> default_stack_class{stack_class_for(stack_size_default)};
// What the program has set it to, in bytes, as it was said: for the next call, which returns it.
// relaxed: a setting.
inline constinit atomic<std::size_t> default_stack_set{stack_size_default};

// A g of the given stack class in state dead, from the lists or on a fresh stack; null if the
// kernel has no memory. pp may be null (a foreign thread). Takes: the gfree lock, at times.
[[nodiscard]] g* gfget(p* pp, std::uint8_t cls);

// Takes back a dead g, off its stack. pp may be null.
void gfput(p* pp, g& gp);

// Passes all that pp keeps to the global pool: the p goes away. Caller: holds pp. Go: gfpurge.
void gfree_purge(p& pp);

// How many of the global pools should go: of each a sixteenth of what nobody has wanted since the
// last call, or, with `most`, all but 1,024.
[[nodiscard]] std::uint64_t gfree_unused(bool most = false);

// Gives the stacks of up to `count` dead goroutines back to the kernel: those that gfree_unused has
// counted, then any. Both for sysmon.
void gfree_release(std::uint64_t count);

// Passes the dead goroutines of all idle ps to the global pools. The next gfget of such a p takes
// from a pool, or a fresh stack. Caller: sysmon, when no goroutine runs. Takes: the gfree lock.
void gfree_gather_idle() ROTA_REQUIRES(sched.mu);

// Whether a pool, or an idle p, has a dead goroutine. Takes: the gfree lock.
[[nodiscard]] bool gfree_has_idle() ROTA_REQUIRES(sched.mu);

// Dead goroutines whose pages are kept, all lists but those of the ps; a hint.
std::uint64_t gfree_count();

}  // namespace rota::rt
