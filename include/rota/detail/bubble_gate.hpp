// Records to which bubble of rota::synctest an object of the sync room belongs: the bubble in which
// it was constructed, or none.
//
// A goroutine of a bubble that waits in an object of its own bubble is durably blocked: time may
// leap. In any other object it waits for an event outside the bubble, and time stands still. The
// table of objects is in src/sched/base/bubble.cpp. While no bubble lives the constructor pays one
// load and one branch.
#pragma once

#include <cstdint>
#include <type_traits>

namespace rota::detail {

// The number of bubbles that live. __atomic, relaxed: a goroutine of a bubble sees its own bubble
// counted. Written by synctest::test.
extern std::uint32_t live_bubbles;

[[gnu::always_inline]] inline bool does_a_bubble_live() noexcept {
    return __atomic_load_n(&live_bubbles, __ATOMIC_RELAXED) != 0;
}

// Makes the object belong to the caller's bubble, or to none, and replaces any entry of an earlier
// object at that address.
void note_construction(const void* object) noexcept;

// For constructors. An object that is initialized at compile time belongs to no bubble.
constexpr void note_made(const void* object) noexcept {
    if (std::is_constant_evaluated()) return;
    if (does_a_bubble_live()) [[unlikely]]
        note_construction(object);
}

}  // namespace rota::detail
