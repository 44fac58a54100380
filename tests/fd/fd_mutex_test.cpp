// Checks the mutex of a descriptor: turns, references, and which release is the last.
#include "fd/fd_mutex.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <vector>

#include <gtest/gtest.h>
#include <rota/go.hpp>
#include <rota/runtime.hpp>
#include <rota/sync.hpp>
#include <rota/time.hpp>

#include "../gomaxprocs_restored.hpp"

namespace {

using rota::rt::fd_mutex;

TEST(fd_mutex, tells_the_last_one_out_after_the_close_and_nobody_else) {
    fd_mutex mu;
    EXPECT_TRUE(mu.acquire());
    EXPECT_TRUE(mu.acquire_read());
    EXPECT_TRUE(mu.acquire_write());
    EXPECT_FALSE(mu.release());
    EXPECT_TRUE(mu.close());
    EXPECT_FALSE(mu.close());
    EXPECT_FALSE(mu.acquire());
    EXPECT_FALSE(mu.acquire_read());
    EXPECT_FALSE(mu.acquire_write());
    EXPECT_FALSE(mu.release_write());
    EXPECT_FALSE(mu.release());  // the reference of the close
    EXPECT_TRUE(mu.release_read());
}

TEST(fd_mutex, without_calls_the_close_itself_is_the_last) {
    fd_mutex mu;
    EXPECT_TRUE(mu.acquire());
    EXPECT_FALSE(mu.release());
    EXPECT_TRUE(mu.close());
    EXPECT_TRUE(mu.release());
}

TEST(kb34_fd_mutex, one_reads_at_a_time_and_one_is_the_last) {
    // What could go wrong: two readers read at once; or two releases, or none, count as the last.
    rota::run([] {
        for (int round = 0; round < 300; ++round) {
            fd_mutex mu;
            std::atomic<int> inside{0}, together{0}, last{0}, sent_away{0};
            rota::wait_group all;
            for (int i = 0; i < 8; ++i) {
                all.go([&, read = i % 2 == 0] {
                    for (int n = 0; n < 20; ++n) {
                        if (read ? !mu.acquire_read() : !mu.acquire()) {
                            ++sent_away;
                            return;
                        }
                        if (read && inside.fetch_add(1) != 0) ++together;
                        if (n % 3 == 0) rota::runtime::gosched();
                        if (read) --inside;
                        if (read ? mu.release_read() : mu.release()) ++last;
                    }
                });
            }
            for (int n = 0; n < round % 20; ++n) rota::runtime::gosched();
            EXPECT_TRUE(mu.close());
            if (mu.release()) ++last;
            all.wait();
            EXPECT_EQ(together.load(), 0);
            EXPECT_EQ(last.load(), 1);
        }
    });
}

TEST(kb10_fd_mutex, comes_to_those_who_wait) {
    // A goroutine that has had its turn, and asks again at once, could find the mutex free before
    // the woken waiter runs, and sleep while it holds it.
    rota::run([] {
        const rota_test::gomaxprocs_restored restored;
        rota::runtime::gomaxprocs(1);
        fd_mutex mu;
        // Atomic even at one processor: a goroutine that has lost its p without knowing runs beside
        // another.
        std::vector<std::atomic<int>> turns(3);
        std::atomic<int> most{0};  // written by the goroutine that has its turn
        const auto has_had_none = [](const std::atomic<int>& n) { return n == 0; };
        rota::wait_group all;
        for (auto& mine : turns) {
            all.go([&] {
                while (std::ranges::any_of(turns, has_had_none) && most < 200) {
                    EXPECT_TRUE(mu.acquire_read());
                    most = std::max(most.load(), ++mine);
                    // stands for a wait for the descriptor
                    rota::sleep_for(std::chrono::milliseconds(2));
                    EXPECT_FALSE(mu.release_read());
                }
            });
        }
        all.wait();
        EXPECT_LT(most, 20) << "turns of one while another had none";
        EXPECT_TRUE(mu.close());
        EXPECT_TRUE(mu.release());
    });
}

TEST(kb34_fd_mutex, turns_that_are_handed_over_beside_a_close_are_given_back) {
    // A waiter woken by the close and a waiter that got a turn must not both have the turn, and one
    // of them must have it. Turns are long, so that a goroutine that waits for several turns is
    // late.
    rota::run([] {
        for (int round = 0; round < 40; ++round) {
            fd_mutex mu;
            std::atomic<int> inside{0}, together{0}, last{0}, turns{0};
            rota::wait_group all;
            for (int i = 0; i < 6; ++i) {
                all.go([&] {
                    while (mu.acquire_read()) {
                        if (inside.fetch_add(1) != 0) ++together;
                        ++turns;
                        rota::sleep_for(std::chrono::microseconds(300));
                        --inside;
                        if (mu.release_read()) ++last;
                    }
                });
            }
            const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
            while (turns < 6 + round % 8 && std::chrono::steady_clock::now() < until)
                rota::runtime::gosched();
            EXPECT_GE(turns, 6 + round % 8);
            EXPECT_TRUE(mu.close());
            if (mu.release()) ++last;
            all.wait();
            EXPECT_EQ(together.load(), 0);
            EXPECT_EQ(last.load(), 1);
        }
    });
}

}  // namespace
