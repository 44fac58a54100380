// The timer heap against a sorted model.
#include "timer/heap.hpp"

#include <limits>
#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace rota::rt {
namespace {

TEST(timer_heap, gives_timers_in_order_of_their_moments) {
    // A heap that sifts wrongly loses the order only for some shapes: random operations against
    // std::multimap.
    std::mt19937_64 rand(20);
    for (int round = 0; round < 200; ++round) {
        timer_heap heap;
        std::multimap<std::int64_t, timer*> model;
        std::vector<timer> timers(rand() % 400 + 1);
        std::int64_t now = 0;
        for (timer& t : timers) {
            t.when = now + 1 + static_cast<std::int64_t>(rand() % 1000);
            const bool first = model.empty() || t.when < model.begin()->first;
            EXPECT_EQ(heap.add(t), first);
            model.emplace(t.when, &t);
            EXPECT_EQ(heap.earliest(), model.begin()->first);
            if (rand() % 3 != 0) continue;
            now += static_cast<std::int64_t>(rand() % 200);
            timer* due[8];
            const std::uint32_t n = heap.pop_due(now, due, 8);
            for (std::uint32_t i = 0; i < n; ++i) {
                ASSERT_FALSE(model.empty());
                EXPECT_EQ(due[i]->when, model.begin()->first);
                auto [at, end] = model.equal_range(due[i]->when);
                while (at != end && at->second != due[i]) ++at;
                ASSERT_NE(at, end) << "popped twice, or never added";
                model.erase(at);
            }
            EXPECT_TRUE(n == 8 || model.empty() || model.begin()->first > now);
            EXPECT_EQ(heap.earliest(), model.empty() ? 0 : model.begin()->first);
            EXPECT_EQ(heap.size(), model.size());
        }
    }
}

TEST(timer_heap, says_first_only_to_the_new_earliest) {
    // Who is told "first" wakes the poller: told too often it costs, told too rarely a timer is
    // late.
    timer_heap heap;
    timer a{100, nullptr, nullptr};
    timer b{200, nullptr, nullptr};
    timer c{100, nullptr, nullptr};
    timer d{50, nullptr, nullptr};
    EXPECT_TRUE(heap.add(a));
    EXPECT_FALSE(heap.add(b));
    EXPECT_FALSE(heap.add(c));
    EXPECT_TRUE(heap.add(d));
}

TEST(timer_heap, holds_the_end_of_time) {
    // Moments at the ends of the range must not overflow into each other.
    timer_heap heap;
    timer last{std::numeric_limits<std::int64_t>::max(), nullptr, nullptr};
    timer soon{1, nullptr, nullptr};
    EXPECT_TRUE(heap.add(last));
    EXPECT_TRUE(heap.add(soon));
    timer* due[2];
    EXPECT_EQ(heap.pop_due(2, due, 2), 1u);
    EXPECT_EQ(due[0], &soon);
    EXPECT_EQ(heap.earliest(), last.when);
    EXPECT_EQ(heap.pop_due(last.when, due, 2), 1u);
    EXPECT_EQ(heap.earliest(), 0);
}

}  // namespace
}  // namespace rota::rt
