// Turns the keeping of creators' stacks (sched/record/creation) on and off while the program runs.
#pragma once

namespace rota::rt {

// Turns the keeping of stacks on or off. Caller: a goroutine or any thread, in user code. Stops the
// world. Blocks, and may migrate.
void keep_creations(bool on);

}  // namespace rota::rt
