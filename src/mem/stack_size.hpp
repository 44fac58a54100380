// The sizes of stacks and of the guards below them (mem/stack.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "sys/call/mmap.hpp"

namespace rota::rt {

inline constexpr std::size_t stack_size_min = 16 * 1024;
inline constexpr std::uint8_t stack_class_count = 13;
inline constexpr std::size_t stack_size_max = stack_size_min << (stack_class_count - 1);
inline constexpr std::size_t stack_size_default = 256 * 1024;

constexpr std::size_t stack_class_size(std::uint8_t cls) { return stack_size_min << cls; }

// Pages of a guard: as a rule, and where address space is short.
inline constexpr std::uint8_t stack_guard_pages = 33, stack_guard_pages_short = 17;

// From one slot to the next: its stack and its guard.
constexpr std::size_t stack_pitch(std::uint8_t cls, std::uint8_t guard_pages) {
    return stack_class_size(cls) + guard_pages * page_size;
}

// The smallest class of at least `bytes`; the largest class if there is none.
constexpr std::uint8_t stack_class_for(std::size_t bytes) {
    std::uint8_t cls = 0;
    while (cls + 1 < stack_class_count && stack_class_size(cls) < bytes) ++cls;
    return cls;
}

}  // namespace rota::rt
