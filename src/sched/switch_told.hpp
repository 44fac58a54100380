// Switches of which a tool is told that the program has brought: arch/told_stacks, sys/valgrind.
#pragma once

#include <cstddef>

#include "base/annotations.hpp"

namespace rota::rt {

struct g;
struct m;

// The part of switch_to that changes stacks, where m::is_told. Comes back as context_switch does.
ROTA_COLD void context_switch_told(m& self, g& from, g& to, bool forever);

// The first thing on a new goroutine's stack, where m::is_told.
ROTA_COLD void goroutine_begins_told(m& self);

// Whether newproc calls stack_begins_told. Written at boot, before there is a goroutine.
inline constinit bool are_stacks_told = false;

// A goroutine is about to be laid out in the stack of gp: what its last one has left there is void.
ROTA_COLD void stack_begins_told(g& gp);

// Boot: looks for the tools, and says on stderr if one is there that cannot be told.
void look_for_tools();

// The calling thread, whose m self is, has a stack too.
void thread_begins_told(m& self);

}  // namespace rota::rt
