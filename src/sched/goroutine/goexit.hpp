// Ending a goroutine from inside.
#pragma once

namespace rota::rt {

// Runs the destructors of everything on the goroutine's stack, innermost first, and ends it.
// Caller: a goroutine, in user code. The destructors may park. Go: Goexit.
[[noreturn]] void goroutine_exit();

}  // namespace rota::rt
