// rota::wait_group: counting, waiting, reuse, misuse.
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "anywhere.hpp"
#include "parked.hpp"

using rota_test::eventually;
using rota_test::go_and_park;
using rota_test::panic_of;
using rota_test::scheduler_state;

static_assert(!std::is_copy_constructible_v<rota::wait_group>);
static_assert(!std::is_copy_assignable_v<rota::wait_group>);

TEST_ANYWHERE(wait_group, wait_returns_when_the_count_is_zero) {
    // wait could return early, or miss the last done. `ended` would then be too small, or the
    // watchdog would end the test.
    for (int round = 0; round < 50; ++round) {
        rota::wait_group wg;
        std::atomic<int> ended{0};
        wg.add(10);
        for (int i = 0; i < 10; ++i) {
            rota::go([&] {
                ++ended;
                wg.done();
            });
        }
        wg.wait();
        ASSERT_EQ(ended, 10);
    }
}

TEST_ANYWHERE(wait_group, wait_on_zero_returns_at_once) {
    // It could wait for a first add, and hang.
    rota::wait_group wg;
    wg.wait();
    wg.add(1);
    wg.done();
    wg.wait();
    wg.add(0);
    wg.wait();
}

TEST_ANYWHERE(wait_group, go_counts_the_goroutine_until_it_has_ended) {
    // The count could go up inside the goroutine, too late for wait, or down before the function
    // ends. wait would then return before the work is done.
    rota::wait_group wg;
    std::atomic<int> ended{0};
    constexpr int many = 500;
    for (int i = 0; i < many; ++i) {
        wg.go([&] {
            rota::runtime::gosched();
            ++ended;
        });
    }
    wg.wait();
    EXPECT_EQ(ended, many);
    auto held = std::make_unique<int>(4);
    int got = 0;
    wg.go([&got, held = std::move(held)] { got = *held; });
    wg.wait();
    EXPECT_EQ(got, 4);
}

TEST_ANYWHERE(wait_group, go_inside_a_counted_goroutine_is_counted_too) {
    // The count could reach zero between parent and child. wait would then return before the whole
    // tree has ended.
    rota::wait_group wg;
    std::atomic<int> leaves{0};
    struct tree {
        rota::wait_group& wg;
        std::atomic<int>& leaves;
        void grow(int depth) {
            if (depth == 0) {
                ++leaves;
                return;
            }
            for (int i = 0; i < 2; ++i) wg.go([this, depth] { grow(depth - 1); });
        }
    } t{wg, leaves};
    wg.go([&] { t.grow(8); });
    wg.wait();
    EXPECT_EQ(leaves, 256);
}

TEST_ANYWHERE(wait_group, releases_every_waiter) {
    // Only the first waiter could be woken: the rest would not come back.
    rota::wait_group wg;
    wg.add(1);
    std::atomic<int> released{0};
    constexpr int many = 20;
    for (int i = 0; i < many; ++i) {
        ASSERT_TRUE(go_and_park([&] {
            wg.wait();
            ++released;
        }));
    }
    std::thread thread([&] {
        wg.wait();
        ++released;
    });
    EXPECT_EQ(released, 0);
    wg.done();
    EXPECT_TRUE(eventually([&] { return released == many + 1; })) << released << scheduler_state();
    thread.join();
}

TEST_ANYWHERE(wait_group, may_be_used_again_after_wait) {
    // Waiters or counts of the last round could be left over. A later round would then end early or
    // never.
    rota::wait_group wg;
    int plain = 0;
    for (int round = 0; round < rota_test::scaled(1000); ++round) {
        wg.go([&] { ++plain; });
        wg.wait();
        ASSERT_EQ(plain, round + 1);
    }
}

TEST_ANYWHERE(wait_group, wait_sees_what_was_done_before) {
    // The waiter could be released before the workers' writes are visible. tsan would then report
    // the plain slots, or a slot would be empty.
    constexpr std::size_t many = 16;
    for (int round = 0; round < rota_test::scaled(300); ++round) {
        std::vector<int> slots(many, 0);
        rota::wait_group wg;
        for (std::size_t i = 0; i < many; ++i)
            wg.go([&slots, i] { slots[i] = static_cast<int>(i) + 1; });
        wg.wait();
        for (std::size_t i = 0; i < many; ++i) ASSERT_EQ(slots[i], static_cast<int>(i) + 1);
    }
}

TEST_ANYWHERE(wait_group, adds_and_subtracts_any_number) {
    // A negative number could be taken for a huge positive number: wait would hang.
    rota::wait_group wg;
    wg.add(1000);
    wg.add(-400);
    wg.add(-600);
    wg.wait();
    wg.add(5);
    std::atomic<bool> released{false};
    ASSERT_TRUE(go_and_park([&] {
        wg.wait();
        released = true;
    }));
    wg.add(-3);
    EXPECT_FALSE(released);
    wg.add(-2);
    EXPECT_TRUE(eventually([&] { return released.load(); }));
}

TEST_ANYWHERE(wait_group, negative_counter_is_a_panic_with_gos_text) {
    // The count could silently go below zero and swallow the next add, without a panic.
    rota::wait_group fresh;
    EXPECT_EQ(panic_of([&] { fresh.done(); }), "sync: negative WaitGroup counter");
    rota::wait_group used;
    used.add(2);
    EXPECT_EQ(panic_of([&] { used.add(-3); }), "sync: negative WaitGroup counter");
}

TEST_ANYWHERE(wait_group, reused_while_an_earlier_wait_returns_is_a_panic_with_gos_text) {
    // Without the check, that waiter would go on although work is under way again. It notices the
    // reuse if it is slower than the add, so goroutines compute on every p except the caller's. If
    // they are interrupted at that moment, the waiter notices nothing, and the test runs another
    // round.
    const int computing = rota::runtime::gomaxprocs(0) - (rota::runtime::goid() != 0 ? 1 : 0);
    int seen = 0;
    for (int round = 0; round < 1000 && seen == 0; ++round) {
        rota::wait_group wg;
        auto said = rota::make_chan<std::string>(1);
        wg.add(1);
        ASSERT_TRUE(rota_test::go_and_park([&] { said.send(panic_of([&] { wg.wait(); })); }));
        std::atomic<int> begun{0};
        std::atomic<bool> over{false};
        rota::wait_group others;
        for (int i = 0; i < computing; ++i) {
            others.go([&] {
                ++begun;
                while (!over) {
                }
            });
        }
        EXPECT_TRUE(eventually([&] { return begun == computing; })) << begun;
        wg.done();
        wg.add(1);
        over = true;
        others.wait();
        const std::string text = *said.recv();
        wg.done();
        if (text == "no panic") continue;
        EXPECT_EQ(text, "sync: WaitGroup is reused before previous Wait has returned");
        ++seen;
    }
    EXPECT_EQ(seen, 1) << scheduler_state();
}

TEST_ANYWHERE(wait_group, may_be_finished_by_threads) {
    // done() on a thread wakes goroutines through the global queue. If that wake-up were lost, wait
    // would hang.
    for (int round = 0; round < 30; ++round) {
        rota::wait_group wg;
        wg.add(3);
        std::vector<std::thread> threads;
        for (int i = 0; i < 3; ++i) threads.emplace_back([&] { wg.done(); });
        wg.wait();
        for (auto& t : threads) t.join();
    }
}
