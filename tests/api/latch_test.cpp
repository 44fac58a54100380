// rota::latch and rota::barrier.
#include <atomic>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

#include "anywhere.hpp"
#include "parked.hpp"

using rota_test::eventually;
using rota_test::go_and_park;
using rota_test::scheduler_state;

static_assert(!std::is_copy_constructible_v<rota::latch>);
static_assert(!std::is_copy_constructible_v<rota::barrier<>>);

TEST_ANYWHERE(latch, waiters_go_on_at_zero_and_not_before) {
    // It could open early, or forget a waiter.
    for (int round = 0; round < 30; ++round) {
        rota::latch open(10);
        std::atomic<int> arrived{0};
        rota::wait_group wg;
        for (int i = 0; i < 5; ++i) {
            wg.go([&] {
                open.wait();
                EXPECT_EQ(arrived, 10);
            });
        }
        for (int i = 0; i < 8; ++i) {
            wg.go([&] {
                ++arrived;
                open.count_down();
            });
        }
        arrived += 2;
        open.count_down(2);
        open.wait();
        EXPECT_EQ(arrived, 10) << scheduler_state();
        EXPECT_TRUE(open.try_wait());
        wg.wait();
    }
}

TEST_ANYWHERE(latch, waiter_parks_until_the_last_count) {
    rota::latch open(2);
    std::atomic<bool> passed{false};
    ASSERT_TRUE(go_and_park([&] {
        open.wait();
        passed = true;
    }));
    open.count_down();
    EXPECT_FALSE(open.try_wait());
    EXPECT_FALSE(passed);
    open.arrive_and_wait();
    EXPECT_TRUE(eventually([&] { return passed.load(); })) << scheduler_state();
}

TEST_ANYWHERE(latch, of_zero_is_open_and_below_zero_is_a_panic) {
    rota::latch none(0);
    none.wait();
    EXPECT_TRUE(none.try_wait());
    none.count_down(0);
    EXPECT_THROW(none.count_down(), rota::panic_error);
    rota::latch two(2);
    EXPECT_THROW(two.count_down(3), rota::panic_error);
    static_assert((rota::latch::max)() > 1'000'000);
}

TEST_ANYWHERE(kb47_latch, may_go_as_soon_as_the_wait_has_returned) {
    // The last count could touch the latch after it has opened it; asan would report.
    for (int round = 0; round < rota_test::scaled(3000); ++round) {
        auto open = std::make_unique<rota::latch>(1);
        rota::latch* const bare = open.get();
        rota::go([bare] { bare->count_down(); });
        open->wait();
        open.reset();
    }
}

TEST_ANYWHERE(latch, joins_threads_and_goroutines) {
    rota::latch open(4);
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i) threads.emplace_back([&] { open.arrive_and_wait(); });
    rota::wait_group wg;
    for (int i = 0; i < 2; ++i) wg.go([&] { open.arrive_and_wait(); });
    rota::blocking([&] {
        for (auto& t : threads) t.join();
    });
    wg.wait();
    EXPECT_TRUE(open.try_wait());
}

TEST_ANYWHERE(barrier, nobody_begins_a_phase_before_all_have_ended_the_last) {
    // A worker could pass early, or the completion run twice or beside the workers.
    constexpr int workers = 5, phases = 40;
    int completed = 0;
    std::atomic<int> inside[phases] = {};
    rota::barrier sync(workers, [&]() noexcept { ++completed; });
    rota::wait_group wg;
    for (int w = 0; w < workers; ++w) {
        wg.go([&] {
            for (int phase = 0; phase < phases; ++phase) {
                EXPECT_EQ(completed, phase);
                ++inside[phase];
                sync.arrive_and_wait();
                EXPECT_EQ(inside[phase], workers);
            }
        });
    }
    wg.wait();
    EXPECT_EQ(completed, phases) << scheduler_state();
}

TEST_ANYWHERE(barrier, threads_and_goroutines_meet) {
    constexpr int phases = 20;
    rota::barrier<> sync(4);
    std::atomic<int> steps{0};
    const auto work = [&] {
        for (int phase = 1; phase <= phases; ++phase) {
            ++steps;
            sync.arrive_and_wait();
            EXPECT_GE(steps, 4 * phase);
        }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i) threads.emplace_back(work);
    rota::wait_group wg;
    for (int i = 0; i < 2; ++i) wg.go(work);
    rota::blocking([&] {
        for (auto& t : threads) t.join();
    });
    wg.wait();
}

TEST_ANYWHERE(barrier, arrival_and_waiting_may_be_apart) {
    rota::barrier<> sync(2);
    auto first = sync.arrive();
    auto second = sync.arrive();
    sync.wait(std::move(first));
    sync.wait(std::move(second));
    auto token = sync.arrive(2);
    sync.wait(std::move(token));
    std::atomic<bool> passed{false};
    ASSERT_TRUE(go_and_park([&] {
        sync.arrive_and_wait();
        passed = true;
    }));
    EXPECT_FALSE(passed);
    (void)sync.arrive();
    EXPECT_TRUE(eventually([&] { return passed.load(); })) << scheduler_state();
}

TEST_ANYWHERE(barrier, who_drops_out_is_expected_no_more) {
    rota::barrier<> sync(3);
    rota::wait_group wg;
    for (int w = 0; w < 2; ++w) {
        wg.go([&] {
            for (int phase = 0; phase < 5; ++phase) sync.arrive_and_wait();
        });
    }
    sync.arrive_and_drop();
    wg.wait();
}

TEST_ANYWHERE(barrier, more_arrivals_than_expected_are_a_panic) {
    rota::barrier<> sync(1);
    EXPECT_THROW((void)sync.arrive(2), rota::panic_error);
    rota::barrier<> zero(1);
    EXPECT_THROW((void)zero.arrive(0), rota::panic_error);
}

TEST_ANYWHERE(kb47_barrier, may_go_as_soon_as_the_wait_has_returned) {
    for (int round = 0; round < rota_test::scaled(2000); ++round) {
        auto sync = std::make_unique<rota::barrier<>>(2);
        rota::barrier<>* const bare = sync.get();
        rota::go([bare] { (void)bare->arrive(); });
        sync->arrive_and_wait();
        sync.reset();
    }
}
