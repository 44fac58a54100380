// Checks the random walk over the ps.
#include "sched/base/steal_order.hpp"

#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "sched/base/hooks.hpp"

namespace rota::rt {
namespace {

TEST(steal_order, visits_every_p_exactly_once_from_any_start) {
    // A step that shares a factor with the count would leave out ps: their work would never be
    // stolen. A walk would then miss a p, or visit a p twice. Every start must be possible.
    boot_runtime();
    rng rand(99);
    std::set<std::int32_t> starts;
    for (int round = 0; round < 2000; ++round) {
        const steal_order order(rand);
        std::vector<std::int32_t> seen;
        for (const std::int32_t i : order) seen.push_back(i);
        ASSERT_EQ(seen.size(), static_cast<std::size_t>(sched.gomaxprocs));
        const std::set<std::int32_t> different(seen.begin(), seen.end());
        ASSERT_EQ(different.size(), seen.size());
        EXPECT_EQ(*different.begin(), 0);
        EXPECT_EQ(*different.rbegin(), sched.gomaxprocs - 1);
        starts.insert(seen.front());
    }
    EXPECT_EQ(starts.size(), static_cast<std::size_t>(sched.gomaxprocs));
}

}  // namespace
}  // namespace rota::rt
