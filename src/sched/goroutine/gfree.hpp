// Keeps dead goroutines with their stacks for the next `go`. Each p has a list, last in, first out,
// so that hot stacks are used first.
//
// A p keeps up to 64 goroutines with stacks of the default size, and passes 32 to the global pools,
// one pool per size, when it has more. If the default size is changed, a p passes on its list the
// next time that it takes or keeps a goroutine of the new size. sysmon gives goroutines that have
// been unused for a while back to the kernel (gfree_release). So a pool never keeps for long more
// than was in use at once. Lists are arrays of pointers: passing goroutines on touches none of
// them. Go: gfget, gfput, gfpurge.
//
// When no goroutine has run for a second, sysmon gives every dead goroutine back, also those of the
// ps (gfree_gather_idle). So an idle process keeps no unused stack. Price: a process that works
// again after more than a second takes fresh pages, about 1 us a goroutine.
#pragma once

#include <cstdint>

#include "core/sched.hpp"

namespace rota::rt {

// The stack class of goroutines that ask for no size: runtime::set_max_stack. relaxed: a setting.
inline constinit atomic<std::uint8_t> default_stack_class{stack_class_for(stack_size_default)};
// The size that the program has set, in bytes, exactly as given; the next call of set_max_stack
// returns it. relaxed: a setting.
inline constinit atomic<std::size_t> default_stack_set{stack_size_default};

// Returns a g of the given stack class in state dead, from the lists or on a fresh stack; null if
// the kernel has no memory. pp may be null (a foreign thread). Takes: the gfree lock, at times.
[[nodiscard]] g* gfget(p* pp, std::uint8_t cls);

// Takes back a dead g, off its stack. pp may be null.
void gfput(p* pp, g& gp);

// Passes pp's whole list to the global pool: the p goes away. Caller: holds pp. Go: gfpurge.
void gfree_purge(p& pp);

// Returns how many goroutines the global pools should release. From each pool: a sixteenth of those
// that have been unused since the last call; with `most`, every goroutine beyond 1,024. Caller:
// sysmon.
[[nodiscard]] std::uint64_t gfree_unused(bool most = false);

// Gives the stacks of up to `count` dead goroutines back to the kernel: first those that
// gfree_unused has counted, then any. Caller: sysmon.
void gfree_release(std::uint64_t count);

// Passes the dead goroutines of all idle ps to the global pools. The next gfget of such a p takes
// from a pool, or a fresh stack. Caller: sysmon, when no goroutine runs. Takes: the gfree lock.
void gfree_gather_idle() ROTA_REQUIRES(sched.mu);

// Whether a pool, or an idle p, has a dead goroutine. Takes: the gfree lock.
[[nodiscard]] bool gfree_has_idle() ROTA_REQUIRES(sched.mu);

// The number of dead goroutines that keep their pages, without the lists of the ps; a hint.
std::uint64_t gfree_count();

}  // namespace rota::rt
