// The untyped half of rota::local: finds the values of one goroutine by a key.
#pragma once

#include <cstdint>

namespace rota::detail {

// Names a local<T>; 0 names none. A key that has been given back is never issued again.
using local_key = std::uint64_t;

struct local_value {
    local_value* older = nullptr;  // the value that the same goroutine made before this one
    local_key key = 0;
    void (*destroy)(local_value* v) noexcept = nullptr;
};

local_key local_key_get();
void local_key_put(local_key key) noexcept;

// Returns the calling goroutine's (or thread's) value for this key, or null if it has none.
[[nodiscard]] local_value* local_find(local_key key) noexcept;
// Takes ownership of v until the end of the calling goroutine or thread. Throws std::bad_alloc.
void local_keep(local_value* v);

// Destroys the rota::local values of the calling goroutine, before the waiter for its end is woken.
// The values may refer to objects of that waiter, as thread_locals of a joined thread may.
void end_own_locals();
// Calls end_own_locals() at the end of a block.
struct locals_end {
    locals_end() = default;
    locals_end(const locals_end&) = delete;
    locals_end& operator=(const locals_end&) = delete;
    ~locals_end() { end_own_locals(); }
};

}  // namespace rota::detail
