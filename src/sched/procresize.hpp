// Door: the number of processors.
#pragma once

#include <cstdint>

namespace rota::rt {

// Creates n ps, all idle. Caller: boot, before anything runs.
void first_procs(std::int32_t n);

// There are n ps from now on, of 1 to procs_max. Those that go leave their goroutines to the global
// queue, their timers to p 0 and their dead goroutines to the pool; they come back as they are when
// the number grows again. Caller: has stopped the world; its own p may be another one afterwards.
// Go: procresize.
void procresize(std::int32_t n);

// Stops the world, if the number is another one, and changes it; returns the number of before.
// Does nothing while the process exits. Caller: holds the world's lock, inside a runtime_entry; its
// p may be another one afterwards.
std::int32_t change_proc_count(std::int32_t n);

}  // namespace rota::rt
