// Checks that held threads stand still, and go on afterwards.
#include "sys/signal/hold_threads.hpp"

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
#include "sys/signal/stop_signal.hpp"
#include "sys/thread/thread.hpp"

#include "../../main_thread.hpp"

using namespace rota::rt;

namespace {

constexpr std::int64_t longest_hold = 5'000'000'000;

bool is_runtime_helper(int tid) {
    return tid == sched.sysmon_tid.load(memory_order_relaxed) ||
           tid == sched.template_thread_tid.load(memory_order_relaxed) ||
           uring_backend::is_watcher(tid) || is_worker_of_ring(tid);
}

// Room for the threads of this process: earlier tests may have left threads.
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
    rota::run([] {});  // installs the signal handler
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
    // sysmon has decided to stop the thread, and its signal comes late: the thread would wait for
    // itself.
    rota::run([] {});
    const room space;
    held_threads held = space.empty();
    ASSERT_EQ(hold_other_threads(held, is_runtime_helper, longest_hold), hold_result::held);
    const bool sent = thread_signal(current_thread_id(), stop_signal());
    let_other_threads_go();
    EXPECT_TRUE(sent);
}

TEST_F(hold_threads, the_child_of_a_fork_amid_a_hold_is_not_held) {
    // The child has a copy of the word for which held threads wait, and no thread there clears it:
    // the signal would stop the child for ever.
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
    // A thread that sleeps, and a thread that computes. The holder must not wait long for a thread
    // that may only just have begun, since it holds every other thread meanwhile.
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
    // A handler's mask does not block that signal. It would end the thread within the handler, and
    // a holder that waits until the threads are gone would wait for ever.
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
    thread_sleep_ns(1'000'000);  // gives the signal time to go astray
    let_other_threads_go();
    await_others_gone();
    EXPECT_EQ(cancelled, 0);
    victim.join();
}

TEST_F(hold_threads, signals_for_who_holds_wait_until_the_others_go) {
    // Their handlers could need a lock of a held thread.
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
