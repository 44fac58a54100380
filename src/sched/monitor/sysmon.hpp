// sysmon: the thread that watches the scheduler, without a p.
//
// It takes ps back from system calls, asks goroutines that run for 10 ms to yield, gives unused
// stacks back, prints schedtrace. It looks every 20 µs while there is something to do, after 50
// idle rounds ever more rarely, up to 10 ms. When all ps have been idle for a while it sleeps until
// a p is taken. If they stay idle for a second it wakes once, gives the stacks of all dead
// goroutines back, and sleeps on. It allocates nothing. Go: sysmon, retake.
#pragma once

namespace rota::rt {

// Starts the thread. Caller: boot, once.
void start_sysmon();

}  // namespace rota::rt
