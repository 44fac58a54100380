// The global run queue against a deque.
#include "core/global_queue.hpp"

#include <deque>
#include <memory>
#include <random>

#include <gtest/gtest.h>

#include "core/g.hpp"

namespace rota::rt {
namespace {

TEST(global_queue, is_first_in_first_out_while_it_grows_and_wraps) {
    // Growing copies a ring whose head may be anywhere: an element could be lost, doubled or moved.
    // Then the order would differ from that of a deque under the same random operations.
    std::mt19937_64 rand(1024);
    for (int round = 0; round < 20; ++round) {
        const auto queue = std::make_unique<global_queue>();
        std::deque<g*> model;
        const auto some = std::make_unique<g[]>(64);
        for (int step = 0; step < 20'000; ++step) {
            // Phases of more puts than takes and the reverse, so that it grows and runs empty.
            const bool filling = (step / 4000) % 2 == 0;
            if (rand() % 4 < (filling ? 3u : 1u)) {
                g* const gp = &some[rand() % 64];
                queue->push(*gp);
                model.push_back(gp);
            } else if (!model.empty()) {
                ASSERT_EQ(queue->pop(), model.front()) << "round " << round << ", step " << step;
                model.pop_front();
            }
            ASSERT_EQ(queue->size(), model.size());
            ASSERT_EQ(queue->empty(), model.empty());
        }
        while (!model.empty()) {
            ASSERT_EQ(queue->pop(), model.front());
            model.pop_front();
        }
        EXPECT_TRUE(queue->empty());
    }
}

}  // namespace
}  // namespace rota::rt
