// A fence on one thread from outside: the protocol of sched/preempt/retake in small, without
// membarrier.
#include "sched/preempt/thread_fence.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>
#include <rota/rota.hpp>

#include "core/getg.hpp"
#include "sched/preempt/stop_settings.hpp"
#include "sys/thread/thread.hpp"

using namespace rota::rt;
using namespace std::chrono_literals;

namespace {

// A thread that enters and leaves as often as it can, as an m does, with no fence in between; and
// one that keeps it out now and then.
struct border {
    std::atomic<std::uint32_t> inside{0}, request{0}, entries{0};
    std::atomic<m*> mp{nullptr};
    std::atomic<bool> ends{false};

    void cross() {
        rota::make_chan<int>(1).send(1);  // attaches
        mp = getm_or_null();
        while (!ends.load(std::memory_order_relaxed)) {
            inside.store(1, std::memory_order_relaxed);
            std::atomic_signal_fence(std::memory_order_seq_cst);
            if (request.load(std::memory_order_relaxed) == 0)
                entries.fetch_add(1, std::memory_order_relaxed);
            inside.store(0, std::memory_order_release);
            for (int i = 0; i < 20; ++i) std::atomic_signal_fence(std::memory_order_seq_cst);
        }
    }

    // False: the thread came in although it was locked out.
    bool keep_out(bool& was_kept) {
        request.store(1, std::memory_order_relaxed);
        was_kept = fence_thread(*mp) && inside.load(std::memory_order_acquire) == 0;
        const std::uint32_t before = entries;
        const auto until = std::chrono::steady_clock::now() + 2us;
        while (was_kept && std::chrono::steady_clock::now() < until) {
        }
        const bool holds = !was_kept || entries == before;
        request = 0;
        return holds;
    }
};

}  // namespace

TEST(thread_fence, thread_that_is_locked_out_does_not_come_in) {
    // Its mark stands in the store buffer, it has not seen the request, and the taker takes its p.
    rota::make_chan<int>(1).send(1);  // boots
    if (!stop_settings.stops) {
        std::puts("no thread can be stopped here");
        return;
    }
    border b;
    std::thread other([&] { b.cross(); });
    while (b.mp == nullptr) std::this_thread::yield();
    int kept = 0, wrong = 0;
    // On a loaded machine the thread may lack a processor whenever it is to be kept out: then it is
    // never asked.
    const auto asked = [&] { return b.mp.load()->fence_asked.load(std::memory_order_acquire) > 0; };
    const auto begun = std::chrono::steady_clock::now();
    for (int i = 0; i < 20'000 || !asked(); ++i) {
        const auto passed = std::chrono::steady_clock::now() - begun;
        if (passed > 60s || (passed > 1500ms && asked())) break;
        bool was_kept = false;
        wrong += b.keep_out(was_kept) ? 0 : 1;
        kept += was_kept ? 1 : 0;
        const std::uint32_t seen = b.entries;
        while (b.entries == seen) std::this_thread::yield();
    }
    // The thread had a processor in some rounds: then it was asked by the signal, and answers.
    const m& its = *b.mp;
    const auto patience = std::chrono::steady_clock::now() + 5s;
    while (its.fence_done.load(std::memory_order_acquire) !=
               its.fence_asked.load(std::memory_order_acquire) &&
           std::chrono::steady_clock::now() < patience)
        std::this_thread::yield();
    EXPECT_GT(its.fence_asked.load(std::memory_order_acquire), 0u);
    EXPECT_EQ(its.fence_done.load(std::memory_order_acquire),
              its.fence_asked.load(std::memory_order_acquire));
    b.ends = true;
    other.join();
    EXPECT_EQ(wrong, 0) << "of " << kept;
    EXPECT_GT(kept, 0);
}

TEST(thread_fence, thread_that_sleeps_needs_no_signal) {
    // Its call would end with EINTR.
    rota::make_chan<int>(1).send(1);
    std::atomic<m*> mp{nullptr};
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    std::atomic<int> error{0};
    std::thread sleeper([&] {
        rota::make_chan<int>(1).send(1);
        mp = getm_or_null();
        pollfd asked{ends[0], POLLIN, 0};
        if (::poll(&asked, 1, -1) != 1) error = errno;
    });
    while (mp == nullptr ||
           state_of_thread(mp.load()->tid.load(std::memory_order_relaxed)) != thread_state::asleep)
        std::this_thread::yield();
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(fence_thread(*mp));
    EXPECT_EQ(::write(ends[1], "x", 1), 1);
    sleeper.join();
    EXPECT_EQ(error, 0);
    for (const int end : ends) ::close(end);
}
