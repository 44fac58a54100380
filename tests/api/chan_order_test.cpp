// The order among waiters on a channel: first come, first served.
#include <atomic>
#include <string>
#include <vector>

#include "anywhere.hpp"
#include "parked.hpp"

using rota_test::eventually;
using rota_test::go_and_park;

TEST_ANYWHERE(chan_order, receivers_are_served_in_the_order_of_their_coming) {
    // The wait queue could be a stack, or a receiver could overtake a woken receiver. Then value i
    // would not go to receiver i.
    auto ch = rota::make_chan<int>();
    constexpr int many = 30;
    std::vector<std::atomic<int>> got(many);
    for (int i = 0; i < many; ++i) {
        ASSERT_TRUE(go_and_park([&got, ch, i] { got[static_cast<std::size_t>(i)] = *ch.recv(); }));
    }
    for (int i = 0; i < many; ++i) ch.send(1000 + i);
    for (int i = 0; i < many; ++i) {
        auto& slot = got[static_cast<std::size_t>(i)];
        EXPECT_TRUE(eventually([&] { return slot != 0; }));
        EXPECT_EQ(slot, 1000 + i);
    }
}

TEST_ANYWHERE(chan_order, senders_are_served_in_the_order_of_their_coming) {
    // The same for the queue of senders, with and without a buffer in front of it. Then the values
    // would come out in a different order.
    for (const std::size_t capacity : {0u, 1u, 5u}) {
        auto ch = rota::make_chan<int>(capacity);
        int next = 0;
        while (static_cast<std::size_t>(next) < capacity) ch.send(next++);
        for (int i = 0; i < 20; ++i, ++next) {
            ASSERT_TRUE(go_and_park([ch, next] { ch.send(next); }));
        }
        for (int i = 0; i < next; ++i) EXPECT_EQ(ch.recv(), i) << "capacity " << capacity;
    }
}

TEST_ANYWHERE(chan_order, buffered_values_come_before_those_of_waiting_senders) {
    // A receive could take a waiting sender's value first, since it is at hand. Then the values
    // would come out in a different order.
    auto ch = rota::make_chan<int>(3);
    for (int i = 0; i < 3; ++i) ch.send(i);
    for (int i = 3; i < 6; ++i) ASSERT_TRUE(go_and_park([ch, i] { ch.send(i); }));
    for (int i = 0; i < 6; ++i) {
        EXPECT_EQ(ch.recv(), i);
        EXPECT_EQ(ch.len(), static_cast<std::size_t>(i < 3 ? 3 : 5 - i));
    }
}

TEST_ANYWHERE(chan_order, one_producer_is_never_reordered_by_many_consumers) {
    // Consumers could take values in a different order than they were sent. Then a consumer would
    // see a smaller number after a greater number.
    for (const std::size_t capacity : {0u, 7u}) {
        auto ch = rota::make_chan<int>(capacity);
        rota::wait_group wg;
        std::atomic<long> sum{0};
        constexpr int many = rota_test::scaled(5000);
        for (int c = 0; c < 4; ++c) {
            wg.go([&, ch] {
                int last = -1;
                for (const int v : ch) {
                    EXPECT_GT(v, last);
                    last = v;
                    sum += v;
                }
            });
        }
        for (int i = 0; i < many; ++i) ch.send(i);
        ch.close();
        wg.wait();
        EXPECT_EQ(sum, static_cast<long>(many) * (many - 1) / 2);
    }
}

TEST_ANYWHERE(chan_order, each_producer_keeps_its_own_order) {
    // Two values of one producer could swap on their way through the buffer.
    // Then the consumer would see the later one first.
    constexpr int producers = 5;
    constexpr int each = rota_test::scaled(2000);
    auto ch = rota::make_chan<std::pair<int, int>>(3);
    for (int p = 0; p < producers; ++p) {
        rota::go([ch, p] {
            for (int i = 0; i < each; ++i) ch.send({p, i});
        });
    }
    std::vector<int> next(producers, 0);
    for (int i = 0; i < producers * each; ++i) {
        const auto [p, n] = *ch.recv();
        ASSERT_EQ(n, next[static_cast<std::size_t>(p)]++);
    }
    EXPECT_EQ(ch.len(), 0u);
}
