// GODEBUG=leakcheck=1: reports at the program's end the goroutines that it leaves behind.
#pragma once

namespace rota::rt {

// Searches for goroutines that can never run again, and prints their number and traces on stderr.
// Caller: the thread that ends the process, before scheduling stops. In a goroutine it prints only
// that it has not searched: the search may migrate to another thread, and the C library ends the
// process on this thread.
void report_leaks_at_exit();

}  // namespace rota::rt
