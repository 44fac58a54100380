// The mutex of a descriptor: turns, references, the last one out.
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
    EXPECT_FALSE(mu.release());  // that of the close
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
    // Two readers at once, or two that both, or neither, give the number back.
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
    // Who has had its turn, and comes again at once, finds it free before the one runs that has
    // been woken, and sleeps with it.
    rota::run([] {
        const rota_test::gomaxprocs_restored restored;
        rota::runtime::gomaxprocs(1);
        fd_mutex mu;
        // Atomic, at one processor too: who has lost its p without knowing runs beside another.
        std::vector<std::atomic<int>> turns(3);
        std::atomic<int> most{0};  // written by who has its turn
        const auto has_had_none = [](const std::atomic<int>& n) { return n == 0; };
        rota::wait_group all;
        for (auto& mine : turns) {
            all.go([&] {
                while (std::ranges::any_of(turns, has_had_none) && most < 200) {
                    EXPECT_TRUE(mu.acquire_read());
                    most = std::max(most.load(), ++mine);
                    rota::sleep_for(std::chrono::milliseconds(2));  // as for a descriptor
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
    // One woken by the close, and one to whom a turn has been handed, must not both, or neither,
    // have it. Turns are so long that who waits for several is late.
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
