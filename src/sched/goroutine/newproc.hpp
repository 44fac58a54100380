// Door: makes goroutines and queues them. rota/detail/spawn.hpp is the typed half.
#pragma once

#include <rota/detail/spawn.hpp>

#include "core/sched.hpp"

namespace rota::rt {

// As detail::spawn_commit_address, for the goroutine that a run() waits for. It is queued like
// every goroutine. Caller: inside a runtime_entry.
void spawn_main(detail::spawn_slot slot, void (*entry)(void*), run_record& record);

// Makes a goroutine that calls entry(arg), for a timer that has come due. `created_at` is the place
// that its traces name. Ends the process if no stack can be had. Caller: an m with a p, on g0, or
// the code that sets the timer, inside a runtime_entry.
void spawn_from_scheduler(entry_fn entry, void* arg, const void* created_at);

// Sets the default stack size of new goroutines; returns the previous size.
std::size_t set_default_stack(std::size_t bytes);

}  // namespace rota::rt
