// Threads that are held stand still, and go on afterwards.
#include "sys/hold_threads.hpp"

#include <atomic>
#include <csignal>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <rota/rota.hpp>

#include "base/annotations.hpp"
#include "core/sched.hpp"
#include "sys/signal.hpp"
#include "sys/thread.hpp"

using namespace rota::rt;

namespace {

constexpr std::int64_t longest_hold = 5'000'000'000;

bool is_runtime_helper(int tid) {
    return tid == sched.sysmon_tid.load(memory_order_relaxed) ||
           tid == sched.maker_tid.load(memory_order_relaxed);
}

}  // namespace

TEST(hold_threads, nobody_moves_until_let_go) {
    rota::run([] {});  // so that there is a signal
    constexpr int threads = 4;
    std::atomic<bool> enough{false};
    std::atomic<int> tids[threads] = {};
    std::atomic<std::uint64_t> counts[threads] = {};
    std::vector<std::thread> all;
    for (int i = 0; i < threads; ++i) {
        all.emplace_back([&, i] {
            tids[i] = current_thread_id();
            while (!enough) ++counts[i];
        });
    }
    for (auto& c : counts) {
        while (c == 0) std::this_thread::yield();
    }
    const auto room = std::make_unique<held_thread[]>(1024);
    for (int round = 0; round < 20; ++round) {
        for (int i = 0; i < 1024; ++i) room[static_cast<std::size_t>(i)] = {};
        held_threads held{room.get(), 1024};
        ASSERT_TRUE(hold_other_threads(held, is_runtime_helper, longest_hold));
        std::uint64_t before[threads], after[threads];
        for (int i = 0; i < threads; ++i) before[i] = counts[i];
        thread_sleep_ns(1'000'000);
        for (int i = 0; i < threads; ++i) after[i] = counts[i];
        int noted = 0;
        for (std::size_t k = 0; k < held.count; ++k) {
            for (const auto& tid : tids) noted += room[k].tid == tid && room[k].sp != 0;
        }
        let_other_threads_go();
        for (int i = 0; i < threads; ++i) EXPECT_EQ(before[i], after[i]) << i;
        EXPECT_EQ(noted, threads);
    }
    enough = true;
    for (auto& t : all) t.join();
}

TEST(hold_threads, who_holds_is_not_held_by_a_signal_for_another_purpose) {
    // sysmon has decided to stop the thread, and its signal comes late: it would wait for itself.
    rota::run([] {});
    held_thread room[64] = {};
    held_threads held{room, 64};
    ASSERT_TRUE(hold_other_threads(held, is_runtime_helper, longest_hold));
    const bool sent = thread_signal(current_thread_id(), stop_signal());
    let_other_threads_go();
    EXPECT_TRUE(sent);
}

TEST(hold_threads, the_child_of_a_fork_amid_a_hold_is_not_held) {
    // It has a copy of the word for which held threads wait, and nobody there clears it: the signal
    // would stop it for ever.
    rota::run([] {});
    held_thread room[64] = {};
    held_threads held{room, 64};
    ASSERT_TRUE(hold_other_threads(held, is_runtime_helper, longest_hold));
    const pid_t child = ::fork();
    if (child == 0) {
        (void)thread_signal(current_thread_id(), stop_signal());
        ::_exit(0);
    }
    let_other_threads_go();
    ASSERT_GT(child, 0);
    int status = -1;
    pid_t ended = 0;
    for (int i = 0; i < 10'000 && ended == 0; ++i) {
        ended = ::waitpid(child, &status, WNOHANG);
        if (ended == 0) thread_sleep_ns(1'000'000);
    }
    EXPECT_EQ(ended, child);
    EXPECT_EQ(status, 0);
    if (ended == 0) {
        ::kill(child, SIGKILL);
        ::waitpid(child, &status, 0);
    }
}

TEST(hold_threads, who_cannot_be_held_is_told_of) {
    rota::run([] {});
    std::atomic<bool> ready{false}, enough{false};
    std::thread deaf([&] {
        thread_block_signals();
        ready = true;
        while (!enough) thread_sleep_ns(1'000'000);
    });
    while (!ready) std::this_thread::yield();
    held_thread room[64] = {};
    held_threads held{room, 64};
    EXPECT_FALSE(hold_other_threads(held, is_runtime_helper, 20'000'000));
    enough = true;
    deaf.join();
}
