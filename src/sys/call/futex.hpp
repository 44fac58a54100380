// The futex call, private to the process. Results are errno values; the caller never reads errno
// itself.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"

namespace rota::rt {

inline constexpr std::int64_t no_deadline = -1;

// Sleeps while `word` equals `expected`, at most until `deadline` (nanotime; no_deadline: for
// ever). Returns 0 when woken, EAGAIN when the word differed, ETIMEDOUT, or EINTR. Every caller
// looks at the word again.
int futex_wait(atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t deadline);

// Wakes up to `count` sleepers.
void futex_wake(atomic<std::uint32_t>& word, int count);

}  // namespace rota::rt
