// Compares the global run queue with a std::deque under the same operations.
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
    // The order would then differ from the order of a deque under the same random operations.
    std::mt19937_64 rand(1024);
    for (int round = 0; round < 20; ++round) {
        const auto queue = std::make_unique<global_queue>();
        std::deque<g*> model;
        const auto some = std::make_unique<g[]>(64);
        for (int step = 0; step < 20'000; ++step) {
            // In one phase most steps put, in the next most steps take, so that the queue grows and
            // runs empty.
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

TEST(global_queue, takes_back_in_front_who_was_there_before) {
    // A postponed goroutine could come back in another order, or behind goroutines that came later.
    // A recorded turn could then also count it as a goroutine that came later.
    std::mt19937_64 rand(2048);
    const auto some = std::make_unique<g[]>(64);
    global_queue queue, put_off;
    std::deque<g*> model, put_off_model;
    const auto some_of = [&](std::size_t n) { return n == 0 ? 0 : rand() % (n + 1); };
    for (int step = 0; step < 2000; ++step) {
        for (auto n = rand() % 300; n > 0; --n) {
            g* const gp = &some[rand() % 64];
            queue.push(*gp);
            model.push_back(gp);
        }
        for (auto n = some_of(model.size()); n > 0; --n) {
            put_off.push(*queue.pop());
            put_off_model.push_back(model.front());
            model.pop_front();
        }
        const auto n = static_cast<std::uint32_t>(some_of(put_off_model.size()));
        const std::uint32_t popped = queue.popped();
        queue.put_in_front(put_off, n);
        EXPECT_EQ(n, popped - queue.popped());
        model.insert(model.begin(), put_off_model.begin(), put_off_model.begin() + n);
        put_off_model.erase(put_off_model.begin(), put_off_model.begin() + n);
        for (auto k = some_of(model.size()); k > 0; --k) {
            ASSERT_EQ(queue.pop(), model.front()) << "step " << step;
            model.pop_front();
        }
        ASSERT_EQ(queue.size(), model.size());
        ASSERT_EQ(put_off.size(), put_off_model.size());
    }
    for (g* const gp : model) ASSERT_EQ(queue.pop(), gp);
    for (g* const gp : put_off_model) ASSERT_EQ(put_off.pop(), gp);
}

}  // namespace
}  // namespace rota::rt
