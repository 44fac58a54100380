// Checks when batches of due timers come, by a clock that the test moves.
#include "timer/pace.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "timer/heap.hpp"

namespace rota::rt {
namespace {

constexpr std::int64_t us = 1000;

// A heap that runs as in the scheduler, at the moment that its pace chooses.
struct paced_heap {
    timer_heap heap;
    std::int64_t now = 10'000'000;
    std::vector<std::int64_t> batches;  // ns: the moment of each batch, also without a due timer

    // Starts a sleep.
    void sleep(std::int64_t ns) { (void)heap.add_wait(now + ns, &heap); }

    std::int64_t next() const { return heap.pace.run_at(heap.earliest()); }

    // Moves the clock to the next batch, and runs it; returns how many timers came due.
    std::uint32_t run(bool has_readied = true) {
        now = std::max(now, next());
        timer_errand due[1024];
        heap.pace.begin_batch(now);
        const std::uint32_t n = heap.pop_due(now, due, 1024);
        heap.pace.end_batch(now, n, heap.size(), has_readied);
        batches.push_back(now);
        return n;
    }

    // Lets `count` goroutines sleep for `ns` again and again, through `through` batches.
    void sleep_in_a_loop(std::uint32_t count, std::int64_t ns, int through) {
        for (std::uint32_t i = 0; i < count; ++i) sleep(ns);
        for (int i = 0; i < through; ++i) {
            const std::uint32_t n = run();
            now += us;
            for (std::uint32_t k = 0; k < n; ++k) sleep(ns);
        }
    }
};

TEST(timer_pace, a_timer_that_comes_alone_is_served_to_the_moment) {
    paced_heap h;
    for (int i = 0; i < 100; ++i) {
        h.sleep(1'000 * us);
        const std::int64_t due = h.now + 1'000 * us;
        EXPECT_EQ(h.run(), 1u);
        EXPECT_EQ(h.now, due);
    }
}

TEST(timer_pace, consecutive_short_sleeps_are_served_to_the_moment) {
    // Otherwise each would wait for a batch, several times as long as its sleep.
    for (const std::int64_t ns : {1 * us, 20 * us, 50 * us, 200 * us, 300 * us}) {
        paced_heap h;
        for (int i = 0; i < 100; ++i) {
            h.sleep(ns);
            const std::int64_t due = h.now + ns;
            EXPECT_EQ(h.run(), 1u);
            EXPECT_EQ(h.now, due) << "a sleep of " << ns << " ns, after " << i << " others";
        }
    }
}

TEST(timer_pace, two_that_sleep_for_short_do_not_delay_each_other) {
    // The batch of the first sleep sets the next batch; the second sleep was set before.
    paced_heap h;
    h.sleep(300 * us);
    h.run();
    h.sleep(300 * us);
    h.now += 100 * us;
    h.sleep(300 * us);
    const std::int64_t second = h.now + 300 * us;
    h.run();
    EXPECT_EQ(h.next(), second);
}

TEST(timer_pace, a_few_long_timers_share_batches) {
    // 20 tickers of a millisecond: four wake-ups in a millisecond, not twenty.
    paced_heap h;
    timer tickers[20];
    for (int i = 0; i < 20; ++i) {
        (void)h.heap.start(tickers[i], h.now + (1'000 + 50 * i) * us, 1'000 * us);
    }
    const std::int64_t begun = h.now;
    while (h.now < begun + 20'000 * us) h.run();
    EXPECT_LE(h.batches.size(), 80u);
    for (timer& t : tickers) EXPECT_TRUE(timer_heap::stop(t));
}

TEST(timer_pace, a_storm_comes_at_multiples_of_half_a_millisecond) {
    paced_heap h;
    for (int i = 0; i < 200; ++i) h.sleep((1'000 + 10 * i) * us);
    h.sleep_in_a_loop(0, 2'000 * us, 50);
    for (std::size_t i = 10; i < h.batches.size(); ++i)
        EXPECT_EQ(h.batches[i] % timer_pace::storm_ns, 0) << "batch " << i;
}

TEST(timer_pace, a_storm_of_short_sleeps_is_a_storm) {
    // A thousand sleeps of 50 us would wake the processor 20,000 times a second.
    paced_heap h;
    h.sleep_in_a_loop(1'000, 50 * us, 50);
    for (std::size_t i = 10; i < h.batches.size(); ++i)
        EXPECT_EQ(h.batches[i] % timer_pace::storm_ns, 0) << "batch " << i;
}

TEST(timer_pace, many_that_come_one_by_one_are_a_storm) {
    // Each batch has one or two timers: only the number in a quarter of a millisecond shows the
    // storm.
    paced_heap h;
    for (std::int64_t i = 0; i < 100; ++i) h.sleep((400 + 10 * i) * us);
    while (h.heap.size() > 0) {
        h.run();
        if (h.heap.size() > 20) h.sleep(30 * us);
        if (h.batches.size() == 200) break;
    }
    EXPECT_LT(h.batches.size(), 60u);
}

TEST(timer_pace, short_sleeps_are_served_again_behind_a_storm) {
    paced_heap h;
    for (int i = 0; i < 100; ++i) h.sleep(100 * us);
    h.run();
    h.sleep(50 * us);
    h.run();  // at the storm's next moment
    h.sleep(50 * us);
    const std::int64_t due = h.now + 50 * us;
    h.run();
    EXPECT_EQ(h.now, due);
}

TEST(timer_pace, a_short_period_counts_while_somebody_receives) {
    for (const bool receives : {true, false}) {
        paced_heap h;
        timer ticker;
        (void)h.heap.start(ticker, h.now + 100 * us, 100 * us);
        const std::int64_t begun = h.now;
        while (h.now < begun + 10'000 * us) h.run(receives);
        if (receives) EXPECT_GE(h.batches.size(), 99u);
        else EXPECT_LE(h.batches.size(), 41u) << "ticks without a receiver keep a processor busy";
        EXPECT_TRUE(timer_heap::stop(ticker));
    }
}

TEST(timer_pace, the_poller_hears_of_a_batch_that_comes_earlier) {
    // The new timer is not the earliest. But the earliest waits for a batch, and the new timer does
    // not.
    paced_heap h;
    h.sleep(600 * us);
    h.sleep(620 * us);  // too far ahead for a short sleep
    h.run();
    const std::int64_t planned = h.next();
    EXPECT_EQ(planned, h.now + timer_pace::gap_ns);
    h.now += us;
    EXPECT_TRUE(h.heap.add_wait(h.now + 40 * us, &h));
    EXPECT_EQ(h.next(), h.now + 40 * us);
    EXPECT_EQ(h.heap.pace.run_at_ordered(h.heap.bound()), h.next());
    EXPECT_FALSE(h.heap.add_wait(h.now + 100 * us, &h)) << "nothing comes earlier by that";
}

}  // namespace
}  // namespace rota::rt
