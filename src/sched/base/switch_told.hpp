// Tells a tool that the program has brought (arch/told_stacks, sys/call/valgrind) of switches and
// stacks.
#pragma once

#include <cstddef>

#include "base/annotations.hpp"

namespace rota::rt {

struct g;
struct m;

// The part of switch_to that changes stacks, where m::is_told. Comes back as context_switch does.
ROTA_COLD void context_switch_told(m& self, g& from, g& to, bool forever);

// Comes first on a new goroutine's stack, where m::is_told.
ROTA_COLD void goroutine_begins_told(m& self);

// Whether newproc calls stack_begins_told. Written at boot, before there is a goroutine.
inline constinit bool are_stacks_told = false;

// Tells that a goroutine will be laid out in the stack of gp: the previous goroutine's contents are
// void.
ROTA_COLD void stack_begins_told(g& gp);

// Looks for the tools, and says on stderr if a tool is there that cannot be told. Caller: boot.
void look_for_tools();

// Tells of the stack of the calling thread, whose m is self.
void thread_begins_told(m& self);

}  // namespace rota::rt
