// Door: ends the process when an object is destroyed while a goroutine still waits in it by
// reference. Go has no counterpart: there an object lives as long as it is referred to.
#pragma once

#include "base/annotations.hpp"
#include "core/g.hpp"

namespace rota::rt {

enum class held_by : std::uint8_t {
    value,      // a handle: a goroutine can have its own copy
    reference,  // neither copied nor moved
};

// Whether no goroutine goes on, so that no harm can come: the process exits, or is a fork's child.
// Then the caller may take no lock. Any thread.
bool is_nobody_going_on();

// Ends the process with `fatal error: WHAT destroyed while goroutine N waits in it [REASON]` and
// the traces of all goroutines, that of the destroyer first. gp: the goroutine or thread that
// waits; null: it is on its way into the wait. Returns if no harm can come: the process exits
// anyway, or gp was left in a bubble that is over. Caller: outside the runtime.
ROTA_COLD void report_destroyed(const char* what, const g* gp, held_by how = held_by::reference);

}  // namespace rota::rt
