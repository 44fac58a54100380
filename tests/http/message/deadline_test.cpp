// Deadlines of HTTP, where 0 stands for "none".
#include "http/message/deadline.hpp"

#include <chrono>

#include <gtest/gtest.h>

namespace rota::http::detail {
namespace {

TEST(http_moments, are_added_and_compared_with_none_among_them) {
    using namespace std::chrono_literals;
    EXPECT_EQ(later(5, 10ns), 15);
    EXPECT_EQ(later(5, 0ns), 0);
    EXPECT_EQ(later(5, -1ns), 0);
    EXPECT_GT(later(5, clock::duration::max()), 0);
    EXPECT_EQ(earlier(0, 7), 7);
    EXPECT_EQ(earlier(7, 0), 7);
    EXPECT_EQ(earlier(7, 8), 7);
    EXPECT_EQ(earlier(0, 0), 0);
}

}  // namespace
}  // namespace rota::http::detail
