// What GODEBUG=schedtrace=N prints every N ms, in the layout of the newest Go. Go: schedtrace.
#pragma once

namespace rota::rt {

// One line on stderr. Allocates nothing. Caller: sysmon.
void schedtrace();

// GODEBUG=scheddetail=1: a line for each processor, thread and goroutine too, with figures of
// slightly different moments. As schedtrace.
void schedtrace_in_detail();

}  // namespace rota::rt
