// Goroutine traces on stderr, in Go's layout. Go: traceback.
#pragma once

#include "core/g.hpp"
#include "diag/report.hpp"

namespace rota::rt {

// `goroutine N [state]:`
void print_goroutine_header(report& out, const g& gp);

// The calling stack, innermost frame first.
// `plain`: names stay mangled and nothing is allocated, for a stack that may have died inside
// malloc.
// `from`: the pc of the frame to begin with, for a fault; null: behind the frames of the report
// itself.
void print_current_stack(report& out, bool plain = false, const void* from = nullptr);

// `created by NAME in goroutine N`, unless run() created it.
void print_creator(report& out, const g& gp, bool plain = false);

// The current goroutine with its stack; nothing outside goroutines.
void print_current_goroutine(report& out);

// Every goroutine but the current one: its state and its creator. The program may run on meanwhile.
void print_other_goroutines(report& out);

}  // namespace rota::rt
