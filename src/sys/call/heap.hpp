// Gives the freed memory that malloc keeps back to the kernel.
#pragma once

#include <cstddef>

#include "base/atomic.hpp"

namespace rota::rt {

// Whether heap_trim does anything: GODEBUG=heaptrim. Written at boot. relaxed: a setting.
inline constinit atomic<bool> heap_trim_is_on{true};

// Makes glibc's malloc give the free pages of its arenas back. With another allocator this does
// nothing.
//
// glibc holds the lock of one arena at a time, and gives each free block of a page or more back by
// a call of its own. A thread that wants memory of that arena waits meanwhile. So the caller is in
// rota::blocking, or a thread of its own, and calls this seldom.
void heap_trim();

}  // namespace rota::rt
