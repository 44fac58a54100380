// The end of the process: scheduling stops before static objects are destroyed.
#pragma once

namespace rota::rt {

// Registers the handler that stops scheduling, behind everything registered so far: it runs before
// the destructors of all static objects that exist now. Called at boot and again whenever run()
// returns.
void stop_scheduling_at_exit();

// GODEBUG=leakcheck=1: that handler begins with a report of what is left behind. Called at boot.
void check_leaks_at_exit();

// Whether the calling thread ends the process: it runs handlers and destroys static objects, and no
// goroutine runs any more.
[[nodiscard]] bool is_ending_process();

}  // namespace rota::rt
