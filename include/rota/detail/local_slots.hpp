// The untyped half of rota::local: values of one goroutine, found by a key.
#pragma once

#include <cstdint>

namespace rota::detail {

// Names a local<T>. 0 is none. A key that has been given back is never the same again.
using local_key = std::uint64_t;

struct local_value {
    local_value* older = nullptr;  // made by the same goroutine before it
    local_key key = 0;
    void (*destroy)(local_value* v) noexcept = nullptr;
};

local_key local_key_get();
void local_key_put(local_key key) noexcept;

// The calling goroutine's, or thread's, value for this key; null: it has none.
[[nodiscard]] local_value* local_find(local_key key) noexcept;
// Takes v, until the end of the calling goroutine or thread. Throws std::bad_alloc.
void local_keep(local_value* v);

// Destroys the rota::local values of the calling goroutine now, before who waits for its end is
// told: they may refer to what that one owns, as a joined thread's thread_locals may.
void end_own_locals();
// The same at the end of a block.
struct locals_end {
    locals_end() = default;
    locals_end(const locals_end&) = delete;
    locals_end& operator=(const locals_end&) = delete;
    ~locals_end() { end_own_locals(); }
};

}  // namespace rota::detail
