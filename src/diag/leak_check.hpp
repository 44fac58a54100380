// GODEBUG=leakcheck=1: what a program leaves behind, told at its end.
#pragma once

namespace rota::rt {

// Searches for goroutines that can never run again and says on stderr how many there are, with
// their traces. Caller: who ends the process, before scheduling stops. In a goroutine it says only
// that it has not searched: the search may go on on another thread, and the C library ends the
// process on this one.
void report_leaks_at_exit();

}  // namespace rota::rt
