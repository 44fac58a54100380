// Compares the treap of the semaphore table with a map of queues.
#include "sync/wait/sema_root.hpp"

#include <deque>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace rota::rt {
namespace {

struct model_of_root {
    sema_root root;
    std::map<const void*, std::deque<sudog*>> lists;

    void queue(const void* address, sudog& s, bool lifo, std::uint32_t ticket) {
        const lock_guard guard(root.mu);
        root.queue(address, s, lifo, ticket);
        auto& list = lists[address];
        if (lifo) list.push_front(&s);
        else list.push_back(&s);
    }

    // Takes from both and compares.
    void dequeue(const void* address) {
        sudog* got = nullptr;
        {
            const lock_guard guard(root.mu);
            got = root.dequeue(address);
        }
        auto& list = lists[address];
        if (list.empty()) {
            EXPECT_EQ(got, nullptr);
            return;
        }
        EXPECT_EQ(got, list.front());
        list.pop_front();
        ASSERT_NE(got, nullptr);
        EXPECT_EQ(got->parent, nullptr);
        EXPECT_EQ(got->wait_link, nullptr);
        EXPECT_EQ(got->ticket, 0u);
    }
};

TEST(sema_root, keeps_every_address_a_queue_of_its_own) {
    // A rotation that drops a child, or a replaced head that forgets the tail, loses waiters of an
    // address. The test runs random operations on 40 addresses in one root against a map of deques.
    std::mt19937_64 rand(251);
    char addresses[40];
    for (int round = 0; round < 50; ++round) {
        auto model = std::make_unique<model_of_root>();
        std::vector<std::unique_ptr<sudog>> sudogs;
        for (int step = 0; step < 2000; ++step) {
            const void* const address = &addresses[rand() % sizeof addresses];
            if (rand() % 2 == 0) {
                sudogs.push_back(std::make_unique<sudog>());
                model->queue(address, *sudogs.back(), rand() % 4 == 0,
                             static_cast<std::uint32_t>(rand()));
            } else {
                model->dequeue(address);
            }
        }
        for (auto& [address, list] : model->lists) {
            while (!list.empty()) model->dequeue(address);
        }
    }
}

TEST(sema_root, finds_nothing_for_an_address_that_nobody_waits_for) {
    // A release looks up addresses of destroyed objects: it must neither crash nor take a waiter of
    // another address.
    model_of_root model;
    char a = 0;
    char b = 0;
    sudog s;
    model.queue(&a, s, false, 7);
    model.dequeue(&b);
    model.dequeue(&a);
    model.dequeue(&a);
}

}  // namespace
}  // namespace rota::rt
