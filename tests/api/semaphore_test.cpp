// rota::counting_semaphore and rota::binary_semaphore.
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

static_assert(!std::is_copy_constructible_v<rota::counting_semaphore<>>);
static_assert(std::is_same_v<rota::binary_semaphore, rota::counting_semaphore<1>>);
static_assert((rota::binary_semaphore::max)() == 1);
static_assert((rota::counting_semaphore<7>::max)() >= 7);

TEST_ANYWHERE(semaphore, lets_no_more_in_than_it_has_permits) {
    // A permit could be given twice, or lost.
    // Then more than three were inside at once, or the end would find less than three.
    rota::counting_semaphore<> permits(3);
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    const auto work = [&] {
        for (int i = 0; i < rota_test::scaled(500); ++i) {
            permits.acquire();
            const int now = ++inside;
            int seen = most;
            while (now > seen && !most.compare_exchange_weak(seen, now)) {
            }
            if (i % 8 == 0) rota::runtime::gosched();
            --inside;
            permits.release();
        }
    };
    rota::wait_group wg;
    for (int i = 0; i < 8; ++i) wg.go(work);
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i) threads.emplace_back(work);
    rota::blocking([&] {
        for (auto& t : threads) t.join();
    });
    wg.wait();
    EXPECT_LE(most, 3);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(permits.try_acquire());
    EXPECT_FALSE(permits.try_acquire());
}

TEST_ANYWHERE(semaphore, try_acquire_tells_the_truth) {
    rota::counting_semaphore<5> permits(0);
    EXPECT_FALSE(permits.try_acquire());
    permits.release(2);
    EXPECT_TRUE(permits.try_acquire());
    EXPECT_TRUE(permits.try_acquire());
    EXPECT_FALSE(permits.try_acquire());
    permits.release(0);
    EXPECT_FALSE(permits.try_acquire());
}

TEST_ANYWHERE(semaphore, serves_waiters_in_the_order_of_their_coming) {
    // A newcomer could overtake, or the list be a stack.
    rota::counting_semaphore<> permits(0);
    std::vector<int> order;
    rota::wait_group wg;
    wg.add(5);
    for (int i = 0; i < 5; ++i) {
        ASSERT_TRUE(go_and_park([&, i] {
            permits.acquire();
            order.push_back(i);
            permits.release();
            wg.done();
        }));
    }
    permits.release();
    wg.wait();
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4})) << scheduler_state();
    EXPECT_TRUE(permits.try_acquire());
    EXPECT_FALSE(permits.try_acquire());
}

TEST_ANYWHERE(semaphore, a_release_of_many_wakes_as_many) {
    // One could be forgotten, or the rest of the permits be lost.
    for (int round = 0; round < 20; ++round) {
        rota::counting_semaphore<> permits(0);
        std::atomic<int> through{0};
        rota::wait_group wg;
        for (int i = 0; i < 6; ++i) {
            wg.go([&] {
                permits.acquire();
                ++through;
            });
        }
        rota::runtime::gosched();
        permits.release(4);
        EXPECT_TRUE(eventually([&] { return through == 4; })) << scheduler_state();
        permits.release(5);
        wg.wait();
        for (int i = 0; i < 3; ++i) ASSERT_TRUE(permits.try_acquire());
        ASSERT_FALSE(permits.try_acquire());
    }
}

TEST_ANYWHERE(semaphore, beyond_its_maximum_is_a_panic_and_changes_nothing) {
    rota::binary_semaphore one(1);
    EXPECT_THROW(one.release(), rota::panic_error);
    EXPECT_THROW(one.release(-1), rota::panic_error);
    EXPECT_TRUE(one.try_acquire());
    one.release();
    EXPECT_TRUE(one.try_acquire());
    EXPECT_FALSE(one.try_acquire());
}

TEST_ANYWHERE(kb47_semaphore, may_go_as_soon_as_the_acquire_has_returned) {
    // The release could touch the word after it has given the permit; asan would report.
    for (int round = 0; round < rota_test::scaled(3000); ++round) {
        auto permits = std::make_unique<rota::binary_semaphore>(0);
        rota::binary_semaphore* const bare = permits.get();
        rota::go([bare] { bare->release(); });
        permits->acquire();
        permits.reset();
    }
}

TEST_ANYWHERE(kb03_semaphore, a_thread_wakes_a_goroutine_and_back) {
    // The wake-up from a thread without a processor could be lost.
    rota::binary_semaphore ping(0);
    rota::binary_semaphore pong(0);
    constexpr int rounds = rota_test::scaled(500);
    std::thread other([&] {
        for (int i = 0; i < rounds; ++i) {
            ping.acquire();
            pong.release();
        }
    });
    for (int i = 0; i < rounds; ++i) {
        ping.release();
        pong.acquire();
    }
    rota::blocking([&] { other.join(); });
}
