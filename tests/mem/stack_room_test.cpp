// Checks how much address space an arena takes, under every limit.
#include "mem/stack_room.hpp"

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "mem/stack.hpp"

namespace rota::rt {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr std::uint8_t usual = stack_class_for(stack_size_default);

// How many stacks of a class fit under a limit when the program itself has taken `taken` bytes. And
// how many bytes are left to the program when `wanted` stacks exist.
struct fit {
    std::size_t stacks = 0, left = 0;
};
fit fill(std::uint8_t cls, std::size_t limit, std::size_t taken,
         std::size_t wanted = std::numeric_limits<std::size_t>::max()) {
    fit f{0, limit > taken ? limit - taken : 0};
    while (f.stacks < wanted) {
        const arena_plan plan = plan_arena(cls, {true, limit, f.left});
        const std::size_t bytes = plan.slots * stack_pitch(cls, plan.guard_pages);
        if (bytes > f.left) return f;
        f.left -= bytes;
        f.stacks += plan.slots;
    }
    return f;
}

TEST(stack_room, is_a_gibibyte_at_a_time_without_a_limit) {
    // With small arenas a million stacks need thousands of mappings; with a short guard a large
    // frame reaches the neighbour.
    const arena_plan plan = plan_arena(usual, {});
    EXPECT_EQ(plan.guard_pages, stack_guard_pages);
    EXPECT_EQ(plan.slots, 1024 * mib / stack_pitch(usual, stack_guard_pages));
    EXPECT_EQ(plan_arena(stack_class_count - 1, {}).slots, 16U);
}

TEST(stack_room, grows_with_the_limit) {
    // A program that runs under a limit must not fail under a larger limit.
    for (const std::uint8_t cls : {std::uint8_t{0}, usual}) {
        std::size_t before = 0, left_before = 0;
        for (std::size_t limit = 60 * mib; limit < 4096 * mib; limit += 5 * mib) {
            const fit all = fill(cls, limit, 40 * mib);
            EXPECT_GE(all.stacks, before) << limit / mib << " MiB, class " << int{cls};
            before = all.stacks;
            const fit hundred = fill(cls, limit, 40 * mib, 100);
            if (hundred.stacks < 100) continue;
            EXPECT_GE(hundred.left + mib, left_before) << limit / mib << " MiB";
            left_before = hundred.left;
        }
        EXPECT_GT(before, 1000U);
    }
}

TEST(stack_room, is_for_a_hundred_stacks_within_100_mb_and_the_rest_is_the_program_s) {
    // The first arena could take the whole space, and leave none for threads and heap.
    const fit f = fill(usual, 100'000'000, 40'000'000, 100);
    EXPECT_GE(f.stacks, 100U);
    EXPECT_GE(f.left, 15'000'000U);
}

TEST(stack_room, is_never_less_than_a_stack) {
    // With no space left the plan could be for no stack: the arena's search for a stack would never
    // end.
    const arena_plan plan = plan_arena(usual, {true, 100 * mib, 0});
    EXPECT_EQ(plan.slots, 1U);
    EXPECT_EQ(plan.guard_pages, stack_guard_pages_short);
}

}  // namespace
}  // namespace rota::rt
