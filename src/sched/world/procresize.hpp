// Door: sets the number of processors (ps).
#pragma once

#include <cstdint>

namespace rota::rt {

// Creates n ps, all idle. Caller: boot, before any goroutine runs.
void first_procs(std::int32_t n);

// Sets the number of ps to n, 1 to procs_max. A p that goes leaves its goroutines to the global
// queue, its timers to p 0 and its dead goroutines to the pool. It comes back as it is when the
// number grows again. Caller: has stopped the world; its own p may change. Go: procresize.
void procresize(std::int32_t n);

// Stops the world if n differs from the number of ps, and sets it; returns the number before. Does
// nothing while the process exits. Caller: holds the world's lock, inside a runtime_entry; its p
// may change.
std::int32_t change_proc_count(std::int32_t n);

}  // namespace rota::rt
