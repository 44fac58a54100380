// The line that GODEBUG=schedtrace=N prints every N ms.
#pragma once

namespace rota::rt {

// Prints one report on stderr, in the layout of the newest Go. Allocates nothing. Go: schedtrace.
void schedtrace();

}  // namespace rota::rt
