// Computes the size of an arena and of its guards from the limits of the process.
#include "mem/stack_room.hpp"

#include "mem/stack_size.hpp"

namespace rota::rt {

namespace {

constexpr std::size_t arena_bytes_max = std::size_t{1} << 30;
constexpr std::uint32_t slots_min = 16;                            // where the kernel grants them
constexpr std::size_t first_stacks_bytes = std::size_t{48} << 20;  // 150 of the default size
constexpr std::size_t short_guards_below = std::size_t{16} << 30;

std::uint32_t slots_in(std::size_t bytes, std::size_t pitch, std::uint32_t least) {
    const std::size_t n = bytes / pitch;
    return n < least ? least : static_cast<std::uint32_t>(n);
}

}  // namespace

arena_plan plan_arena(std::uint8_t cls, const address_space& space) {
    const std::size_t full = stack_pitch(cls, stack_guard_pages);
    if (!space.is_limited) return {slots_in(arena_bytes_max, full, slots_min), stack_guard_pages};
    const std::size_t least =
        first_stacks_bytes < space.left / 2 ? first_stacks_bytes : space.left / 2;
    std::size_t bytes = space.left / 8 > least ? space.left / 8 : least;
    if (bytes > arena_bytes_max) bytes = arena_bytes_max;
    const std::uint8_t guard =
        space.limit < short_guards_below ? stack_guard_pages_short : stack_guard_pages;
    return {slots_in(bytes, stack_pitch(cls, guard), 1), guard};
}

}  // namespace rota::rt
