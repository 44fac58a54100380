// Tells from the kernel's lists whether threads of this process can still do anything.
#pragma once

namespace rota::rt {

// Whether every thread that `is_known` does not accept sleeps in a futex wait without a time limit,
// at one and the same moment. Then none of them goes on unless a known thread or another process
// wakes it. True where there is no /proc to ask. A thread that is about to end counts as awake.
// Costs some 50 µs and 30 a thread; no lock, no allocation, no descriptor kept.
[[nodiscard]] bool all_others_sleep_for_ever(bool (*is_known)(int tid));

}  // namespace rota::rt
