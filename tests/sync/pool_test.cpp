// Checks the collections of rota::pool: which values they keep, which they destroy, and when.
#include <atomic>

#include <gtest/gtest.h>
#include <rota/sync.hpp>

namespace {

std::atomic<int> alive{0};

struct counted {
    counted() { ++alive; }
    counted(counted&&) noexcept { ++alive; }
    ~counted() { --alive; }
    counted& operator=(counted&&) = delete;
};

TEST(pool_collection, destroys_what_nobody_has_taken_since_the_one_before) {
    // Values could stay for ever, or the first collection after its put could destroy a value.
    rota::pool<counted> box;
    for (int i = 0; i < 100; ++i) box.put(counted());
    rota::detail::pools_collect();
    EXPECT_EQ(alive, 100) << "they have until the next one";
    box.put(counted());
    rota::detail::pools_collect();
    EXPECT_EQ(alive, 1) << "the one that was put in between is younger";
    rota::detail::pools_collect();
    EXPECT_EQ(alive, 0);
}

TEST(pool_collection, leaves_alone_what_has_been_taken_and_put_again) {
    // A victim that is in use again could be destroyed under its user, or twice.
    rota::pool<counted> box;
    for (int i = 0; i < 10; ++i) box.put(counted());
    for (int round = 0; round < 5; ++round) {
        rota::detail::pools_collect();
        {
            counted one = box.get();
            EXPECT_EQ(alive, round == 0 ? 10 : 1);
            rota::detail::pools_collect();
            EXPECT_EQ(alive, 1) << "the nine victims have gone, the taken one has not";
            box.put(std::move(one));
        }
        EXPECT_EQ(alive, 1);
    }
}

TEST(pool_collection, empties_every_pool_there_is) {
    // A destroyed pool could still be listed, or a pool in the middle of the list be lost.
    rota::pool<counted> first;
    first.put(counted());
    {
        rota::pool<counted> second;
        second.put(counted());
        rota::pool<counted> third;
        third.put(counted());
        rota::detail::pools_collect();
        EXPECT_EQ(alive, 3);
    }
    EXPECT_EQ(alive, 1);
    rota::detail::pools_collect();
    EXPECT_EQ(alive, 0);
}

}  // namespace
