// Checks when the backlog of waiting goroutines counts as growing. The test chooses the backlog.
#include "sched/policy/backlog_growth.hpp"

#include <gtest/gtest.h>

namespace rota::rt {
namespace {

// Samples of many looks, each of which finds the given backlog.
class growing_backlog : public testing::Test {
  protected:
    // True: the sample has ended because of a growing backlog.
    bool alone(std::uint64_t at_first, std::uint64_t first_looks, std::uint64_t then) {
        watch.begin_sample(true, at_first);
        bool is_growing = false;
        for (std::uint64_t i = 0; i < looks && !is_growing; ++i) {
            watch.look(i == 0 ? at_first : i < backlog_growth::recently ? first_looks : then);
            is_growing = i >= backlog_growth::recently && watch.is_growing();
        }
        watch.end_sample(is_growing);
        return is_growing;
    }
    bool alone(std::uint64_t all) { return alone(all, all, all); }
    void shared(std::uint64_t early, std::uint64_t late) {
        watch.begin_sample(false, early);
        for (std::uint64_t i = 0; i < looks; ++i) {
            watch.look(i + 1 < backlog_growth::recently ? early : late);
            EXPECT_FALSE(watch.is_growing());
        }
        watch.end_sample(false);
    }

    static constexpr std::uint64_t looks = 100;
    backlog_growth watch;
};

TEST_F(growing_backlog, few_are_none) {
    shared(0, 0);
    EXPECT_FALSE(alone(0, 0, 200));
    EXPECT_TRUE(alone(0, 0, 300));
}

TEST_F(growing_backlog, as_many_as_ever_are_none) {
    shared(300, 300);
    EXPECT_FALSE(alone(0, 0, 1000));
    EXPECT_FALSE(alone(200, 200, 1000));
    EXPECT_TRUE(alone(200, 200, 2000));
}

TEST_F(growing_backlog, one_look_that_finds_none_says_nothing) {
    // Each client has its answer at the first look; seven looks later the backlog is as before.
    EXPECT_FALSE(alone(0, 200, 600));
    EXPECT_TRUE(alone(0, 10, 600));
}

TEST_F(growing_backlog, one_look_that_finds_many_says_nothing) {
    watch.begin_sample(true, 100);
    for (int i = 0; i < 16; ++i) watch.look(100);
    watch.look(2000);
    EXPECT_FALSE(watch.is_growing());
    for (int i = 0; i < 16; ++i) watch.look(2000);
    EXPECT_TRUE(watch.is_growing());
}

TEST_F(growing_backlog, too_many_are_one_whatever_there_were) {
    shared(1500, 1500);
    EXPECT_FALSE(alone(1500, 1500, 2000));
    EXPECT_TRUE(alone(1500, 1500, 2100));
}

TEST_F(growing_backlog, what_there_were_fades) {
    shared(400, 400);
    EXPECT_FALSE(alone(0, 0, 1500));
    for (int sample = 0; sample < 12; ++sample) shared(0, 0);
    EXPECT_TRUE(alone(0, 0, 500));
}

TEST_F(growing_backlog, that_is_served_while_all_is_shared_is_not_what_there_is) {
    EXPECT_TRUE(alone(0, 0, 1000));
    shared(1000, 20);  // the first looks find the backlog
    EXPECT_TRUE(alone(0, 0, 1000));
    shared(1000, 1000);  // here the backlog stays
    EXPECT_FALSE(alone(0, 0, 1000));
}

TEST_F(growing_backlog, is_forgotten) {
    shared(400, 400);
    watch.forget();
    EXPECT_TRUE(alone(0, 0, 500));
}

}  // namespace
}  // namespace rota::rt
