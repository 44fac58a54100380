// Whether threads of this process can still do anything, as the kernel tells it.
#pragma once

namespace rota::rt {

// Whether all threads but those that `is_known` accepts sleep in futex waits without a time limit,
// at one and the same moment: then none of them goes on unless a known one wakes it, or another
// process. True where there is no /proc to ask. A thread that is about to end counts as awake.
// Some 50 µs and 30 a thread; no lock, no allocation, no descriptor kept.
[[nodiscard]] bool all_others_sleep_for_ever(bool (*is_known)(int tid));

}  // namespace rota::rt
