// The stack of the caller as numbers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rota::rt {

inline constexpr std::size_t stack_pcs_max = 64;

// Return addresses, the innermost first, at most `max`; returns how many. By the unwind tables:
// code needs no frame pointers. Takes no lock and allocates nothing. Some 0.5 µs a frame.
std::size_t own_stack(std::uintptr_t* pcs, std::size_t max);

}  // namespace rota::rt
