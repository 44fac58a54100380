// Door: the number of processors.
#pragma once

#include <cstdint>

namespace rota::rt {

// Creates n ps, all idle. Caller: boot, before anything runs. Changing the number while goroutines
// run needs a stopped world and is not built; runtime::gomaxprocs(n) says so.
void procresize(std::int32_t n);

}  // namespace rota::rt
