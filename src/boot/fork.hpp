// fork without exec: the child has one thread, and no scheduler.
#pragma once

namespace rota::rt {

// Registers what happens in the child of a fork. Called once, at boot.
void watch_forks();

// Whether this process is such a child: every use of rota in it is a fatal error.
[[nodiscard]] bool is_forked_child();

}  // namespace rota::rt
