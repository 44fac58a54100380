// Prints scheduler state every N ms for GODEBUG=schedtrace=N, in Go's layout. Go: schedtrace.
#pragma once

#include <cstdint>

namespace rota::rt {

// One line on stderr, of the moment `now`. Allocates nothing. Caller: sysmon.
void schedtrace(std::int64_t now);

// GODEBUG=scheddetail=1: a line for each processor, thread and goroutine too, with figures of
// slightly different moments. As schedtrace.
void schedtrace_in_detail(std::int64_t now);

}  // namespace rota::rt
