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
#include "netpoll/uring.hpp"
#include "sys/signal.hpp"
#include "sys/thread.hpp"

#include "../main_thread.hpp"

using namespace rota::rt;

namespace {

constexpr std::int64_t longest_hold = 5'000'000'000;

bool is_runtime_helper(int tid) {
    return tid == sched.sysmon_tid.load(memory_order_relaxed) ||
           tid == sched.maker_tid.load(memory_order_relaxed) || uring_backend::is_watcher(tid) ||
           is_worker_of_ring(tid);
}

// For all threads of this process: the tests before may have left some.
struct room {
    static constexpr std::size_t size = 1024;
    std::unique_ptr<held_thread[]> places = std::make_unique<held_thread[]>(size);

    held_threads empty() const {
        for (std::size_t i = 0; i < size; ++i) places[i] = {};
        return {places.get(), size};
    }
};

class hold_threads : public testing::Test {
    void SetUp() override {
        if (ROTA_TSAN) GTEST_SKIP() << "ThreadSanitizer keeps a thread that blocks all signals";
    }
};

}  // namespace

TEST_F(hold_threads, nobody_moves_until_let_go) {
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
    const room space;
    for (int round = 0; round < 20; ++round) {
        held_threads held = space.empty();
        ASSERT_EQ(hold_other_threads(held, is_runtime_helper, longest_hold), hold_result::held);
        std::uint64_t before[threads], after[threads];
        for (int i = 0; i < threads; ++i) before[i] = counts[i];
        thread_sleep_ns(1'000'000);
        for (int i = 0; i < threads; ++i) after[i] = counts[i];
        int noted = 0;
        for (std::size_t k = 0; k < held.count; ++k) {
            for (const auto& tid : tids)
                noted += space.places[k].tid == tid && space.places[k].sp != 0;
        }
        let_other_threads_go();
        for (int i = 0; i < threads; ++i) EXPECT_EQ(before[i], after[i]) << i;
        EXPECT_EQ(noted, threads);
    }
    enough = true;
    for (auto& t : all) t.join();
}

TEST_F(hold_threads, who_holds_is_not_held_by_a_signal_for_another_purpose) {
    // sysmon has decided to stop the thread, and its signal comes late: it would wait for itself.
    rota::run([] {});
    const room space;
    held_threads held = space.empty();
    ASSERT_EQ(hold_other_threads(held, is_runtime_helper, longest_hold), hold_result::held);
    const bool sent = thread_signal(current_thread_id(), stop_signal());
    let_other_threads_go();
    EXPECT_TRUE(sent);
}

TEST_F(hold_threads, the_child_of_a_fork_amid_a_hold_is_not_held) {
    // It has a copy of the word for which held threads wait, and nobody there clears it: the signal
    // would stop it for ever.
    rota::run([] {});
    const room space;
    held_threads held = space.empty();
    ASSERT_EQ(hold_other_threads(held, is_runtime_helper, longest_hold), hold_result::held);
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

TEST_F(hold_threads, who_cannot_be_held_is_told_of) {
    // One that sleeps, and one that computes: that the second has only just begun must not be
    // believed for long, as all others are held meanwhile.
    rota::run([] {});
    for (const bool computes : {false, true}) {
        std::atomic<bool> ready{false}, enough{false};
        std::thread deaf([&] {
            thread_block_signals();
            ready = true;
            while (!enough) {
                if (!computes) thread_sleep_ns(1'000'000);
            }
        });
        while (!ready) std::this_thread::yield();
        const room space;
        held_threads held = space.empty();
        EXPECT_EQ(hold_other_threads(held, is_runtime_helper, longest_hold), hold_result::deaf)
            << "computes: " << computes;
        await_others_gone();
        enough = true;
        deaf.join();
    }
}

TEST_F(hold_threads, a_thread_that_is_cancelled_meanwhile_ends_when_it_is_let_go) {
    // No handler's mask keeps that signal away. It would end the thread within the handler, and who
    // waits for all to be gone would wait for ever.
    rota::run([] {});
    std::atomic<bool> ready{false};
    std::thread victim([&] {
        int before;
        pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before);
        ready = true;
        for (;;) pause();
    });
    while (!ready) std::this_thread::yield();
    const room space;
    held_threads held = space.empty();
    ASSERT_EQ(hold_other_threads(held, is_runtime_helper, longest_hold), hold_result::held);
    const int cancelled = pthread_cancel(victim.native_handle());
    thread_sleep_ns(1'000'000);  // the load: time for it to go astray
    let_other_threads_go();
    await_others_gone();
    EXPECT_EQ(cancelled, 0);
    victim.join();
}

TEST_F(hold_threads, signals_for_who_holds_wait_until_the_others_go) {
    // Their handlers could need what a held thread has locked.
    rota::run([] {});
    static std::atomic<int> handled{0};
    handled = 0;
    struct sigaction counting{}, before{};
    counting.sa_handler = [](int) { ++handled; };
    ASSERT_EQ(sigaction(SIGUSR2, &counting, &before), 0);
    const room space;
    held_threads held = space.empty();
    const auto result = hold_other_threads(held, is_runtime_helper, longest_hold);
    const bool sent = thread_signal(current_thread_id(), SIGUSR2);
    const int meanwhile = handled;
    if (result == hold_result::held) let_other_threads_go();
    EXPECT_EQ(result, hold_result::held);
    EXPECT_TRUE(sent);
    EXPECT_EQ(meanwhile, 0);
    EXPECT_EQ(handled, 1);
    sigaction(SIGUSR2, &before, nullptr);
}

TEST_F(hold_threads, a_main_thread_that_has_ended_is_missed_by_nobody) {
    // Its number stays in the list for as long as the process lives.
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(rota_test::without_main_thread([] {
                    rota::run([] {});
                    const room space;
                    held_threads held = space.empty();
                    return hold_other_threads(held, is_runtime_helper, longest_hold) ==
                                   hold_result::held
                               ? 0
                               : 1;
                }),
                testing::ExitedWithCode(0), "");
}
