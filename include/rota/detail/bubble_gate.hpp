// Which bubble of rota::synctest an object of the sync room belongs to: the one in which it was
// constructed, or none.
//
// A goroutine of a bubble that waits in an object of its own bubble is durably blocked: time may
// leap. In any other object it waits for the outside, and time stands still. The table of objects
// is in src/sched/bubble.cpp; while no bubble lives the constructor pays one load and one branch.
#pragma once

#include <cstdint>
#include <type_traits>

namespace rota::detail {

// Bubbles that live now. __atomic, relaxed: a goroutine of a bubble sees its own bubble counted.
// Written by synctest::test.
extern std::uint32_t live_bubbles;

[[gnu::always_inline]] inline bool does_a_bubble_live() noexcept {
    return __atomic_load_n(&live_bubbles, __ATOMIC_RELAXED) != 0;
}

// The object belongs to the caller's bubble, or to none, whatever lay at its address before.
void note_construction(const void* object) noexcept;

// For constructors. What is initialized at compile time belongs to no bubble.
constexpr void note_made(const void* object) noexcept {
    if (std::is_constant_evaluated()) return;
    if (does_a_bubble_live()) [[unlikely]]
        note_construction(object);
}

}  // namespace rota::detail
