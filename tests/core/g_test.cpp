// What the runtime takes for granted of a goroutine's header.
#include "core/g.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include <gtest/gtest.h>

using namespace rota::rt;

TEST(g_header, is_made_of_zeros) {
    // In a new stack it is not constructed: sched/goroutine/gfree.
    alignas(g) std::byte room[sizeof(g)];
    std::memset(room, 0, sizeof room);
    new (room) g;
    EXPECT_TRUE(std::all_of(std::begin(room), std::end(room),
                            [](std::byte b) { return b == std::byte{0}; }));
}
