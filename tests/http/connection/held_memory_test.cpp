// Checks when the memory that connections hold has fallen so far that the heap is worth trimming.
#include "http/connection/held_memory.hpp"

#include <gtest/gtest.h>

namespace rota::http::detail {
namespace {

constexpr std::int64_t mib = 1 << 20;

TEST(http_held_memory, has_fallen_when_sixteen_mebibytes_have_gone) {
    // A server with little traffic could trim the heap again and again, or never: trimming would be
    // worth it before 16 MiB have gone, or not afterwards.
    held_memory m;
    EXPECT_FALSE(m.note(40 * mib));
    EXPECT_FALSE(m.note(-10 * mib));
    EXPECT_FALSE(m.note(-5 * mib));
    EXPECT_FALSE(m.has_fallen());
    EXPECT_TRUE(m.note(-1 * mib));
    EXPECT_TRUE(m.has_fallen());
}

TEST(http_held_memory, has_fallen_only_by_a_good_part_of_it) {
    // A server that holds much memory could trim the heap whenever a few of its clients leave: a
    // fall by 100 of 1,024 MiB would be enough.
    held_memory m;
    EXPECT_FALSE(m.note(1024 * mib));
    EXPECT_FALSE(m.note(-100 * mib));
    EXPECT_FALSE(m.note(100 * mib)) << "what comes never makes it worth it";
    EXPECT_FALSE(m.note(-255 * mib));
    EXPECT_TRUE(m.note(-1 * mib));
}

TEST(http_held_memory, is_compared_with_the_most_since_the_last_time) {
    // After one trim each further connection that leaves could cause another trim: memory that went
    // before the trim would count again.
    held_memory m;
    EXPECT_FALSE(m.note(100 * mib));
    EXPECT_TRUE(m.note(-80 * mib));
    m.begin_anew();
    EXPECT_FALSE(m.has_fallen());
    EXPECT_FALSE(m.note(-15 * mib));
    EXPECT_FALSE(m.note(15 * mib));
    EXPECT_TRUE(m.note(-16 * mib));
}

}  // namespace
}  // namespace rota::http::detail
