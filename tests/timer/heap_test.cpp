// Compares the timer heap with a sorted model.
#include "timer/heap.hpp"

#include <atomic>
#include <limits>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace rota::rt {
namespace {

constexpr std::int64_t end_of_time = std::numeric_limits<std::int64_t>::max();

// A timer whose errand is itself.
struct self_timer : timer {
    self_timer() { arg = this; }
};

std::vector<timer*> pop(timer_heap& heap, std::int64_t now, std::uint32_t max = 64) {
    std::vector<timer_errand> due(max);
    std::vector<timer*> out;
    const std::uint32_t n = heap.pop_due(now, due.data(), max);
    for (std::uint32_t i = 0; i < n; ++i) out.push_back(static_cast<timer*>(due[i].arg));
    return out;
}

// A heap beside std::multimap, and the checks of both after each step.
struct pair_of_heaps {
    timer_heap heap;
    std::multimap<std::int64_t, timer*> model;
    std::mt19937_64 rand{20};

    std::multimap<std::int64_t, timer*>::iterator find(timer& t) {
        for (auto at = model.begin(); at != model.end(); ++at)
            if (at->second == &t) return at;
        return model.end();
    }
    std::int64_t first() const { return model.empty() ? 0 : model.begin()->first; }

    void reset(timer& t, std::int64_t when) {
        const std::int64_t before = heap.bound();
        const auto at = find(t);
        const bool was = at != model.end();
        if (was) model.erase(at);
        model.emplace(when, &t);
        const timer_change change = heap.reset(t, when);
        EXPECT_EQ(change.was_started, was);
        EXPECT_EQ(change.earlier, before == 0 || first() < before);
        check();
    }
    void stop(timer& t) {
        const auto at = find(t);
        EXPECT_EQ(timer_heap::stop(t), at != model.end());
        if (at != model.end()) model.erase(at);
        check();
    }
    void advance(std::int64_t now, std::uint32_t max) {
        const std::vector<timer*> due = pop(heap, now, max);
        for (timer* t : due) {
            ASSERT_FALSE(model.empty());
            EXPECT_EQ(t->when, first()) << "not the earliest";
            const auto at = find(*t);
            ASSERT_NE(at, model.end()) << "popped twice, or not started";
            model.erase(at);
        }
        EXPECT_TRUE(due.size() == max || model.empty() || first() > now);
        check();
    }
    void check() {
        EXPECT_EQ(heap.earliest(), first());
        if (!model.empty()) {
            EXPECT_EQ(heap.bound(), first());
        }
        EXPECT_EQ(heap.size(), model.size());
    }
};

TEST(timer_heap, gives_timers_in_order_of_their_moments) {
    // A heap that sifts wrongly, or loses the place of a timer that it moves, fails only in a few
    // shapes. The test runs random operations against std::multimap.
    for (int round = 0; round < 60; ++round) {
        pair_of_heaps both;
        both.rand.seed(static_cast<unsigned>(round));
        std::vector<self_timer> timers(both.rand() % 300 + 1);
        std::int64_t now = 0;
        for (int step = 0; step < 600; ++step) {
            timer& t = timers[both.rand() % timers.size()];
            const auto when = now + 1 + static_cast<std::int64_t>(both.rand() % 1000);
            switch (both.rand() % 8) {
                case 0:
                case 1: both.stop(t); break;
                case 2: both.advance(now += static_cast<std::int64_t>(both.rand() % 200), 8); break;
                default: both.reset(t, when);
            }
            if (HasFailure()) return;
        }
        both.advance(end_of_time, 1000);
        EXPECT_TRUE(both.model.empty());
    }
}

TEST(timer_heap, says_earlier_only_of_a_new_earliest_moment) {
    // A caller that gets "earlier" wakes the poller. Reported too often it costs; reported too
    // rarely a timer is late.
    timer_heap heap;
    timer a, b, c, d;
    EXPECT_TRUE(heap.reset(a, 100).earlier);
    EXPECT_FALSE(heap.reset(b, 200).earlier);
    EXPECT_FALSE(heap.reset(c, 100).earlier);
    EXPECT_TRUE(heap.reset(d, 50).earlier);
    EXPECT_FALSE(heap.reset(d, 150).earlier) << "the earliest one moved to later";
    EXPECT_EQ(heap.earliest(), 100);
    EXPECT_TRUE(heap.reset(b, 40).earlier) << "one in the middle moved to the front";
}

TEST(kb27_timer_heap, the_earliest_moment_follows_stops_and_moves) {
    // A cached moment that is not updated keeps a poller awake, or lets it sleep too long.
    timer_heap heap;
    timer a, b;
    (void)heap.reset(a, 100);
    (void)heap.reset(b, 200);
    EXPECT_TRUE(timer_heap::stop(a));
    EXPECT_EQ(heap.earliest(), 200);
    (void)heap.reset(b, 300);
    EXPECT_EQ(heap.earliest(), 300);
    EXPECT_TRUE(timer_heap::stop(b));
    EXPECT_EQ(heap.earliest(), 0);
    EXPECT_FALSE(timer_heap::stop(b));
}

TEST(kb27_timer_heap, that_stops_have_emptied_stays_bounded_until_somebody_looks) {
    // A bound that is forgotten too late wakes the poller in vain, once; a bound later than a timer
    // lets it sleep too long.
    timer_heap heap;
    timer a, b;
    timer_errand due[1];
    EXPECT_TRUE(heap.reset(a, 100).earlier);
    EXPECT_TRUE(timer_heap::stop(a));
    EXPECT_EQ(heap.bound(), 100);
    EXPECT_FALSE(heap.reset(a, 150).earlier) << "whoever looks at 100 will see it";
    EXPECT_EQ(heap.bound(), 150);
    EXPECT_TRUE(timer_heap::stop(a));
    EXPECT_TRUE(heap.reset(b, 120).earlier);
    EXPECT_EQ(heap.bound(), 120);
    EXPECT_TRUE(timer_heap::stop(b));
    EXPECT_EQ(heap.pop_due(110, due, 1), 0U);
    EXPECT_EQ(heap.bound(), 0) << "looked at";
    EXPECT_TRUE(heap.reset(a, 300).earlier);
    heap.forget_bound();
    EXPECT_EQ(heap.bound(), 300) << "there is one";
    EXPECT_TRUE(timer_heap::stop(a));
    heap.forget_bound();
    EXPECT_EQ(heap.bound(), 0);
}

TEST(timer_heap, holds_the_end_of_time) {
    // Moments at the ends of the range must not overflow into each other.
    timer_heap heap;
    self_timer last, soon, past;
    EXPECT_TRUE(heap.reset(last, end_of_time).earlier);
    EXPECT_TRUE(heap.reset(soon, 2).earlier);
    EXPECT_TRUE(heap.reset(past, std::numeric_limits<std::int64_t>::min()).earlier);
    EXPECT_EQ(heap.earliest(), 1) << "0 stands for none";
    EXPECT_EQ(pop(heap, 2), (std::vector<timer*>{&past, &soon}));
    EXPECT_EQ(heap.earliest(), end_of_time);
    EXPECT_EQ(pop(heap, end_of_time), (std::vector<timer*>{&last}));
    EXPECT_EQ(heap.earliest(), 0);
}

TEST(timer_heap, a_periodic_timer_skips_the_periods_that_nobody_saw) {
    // Missed periods delivered one by one would come as a storm, and adding them could overflow.
    timer_heap heap;
    self_timer t;
    (void)heap.reset(t, 10, 10);
    EXPECT_EQ(pop(heap, 9).size(), 0u);
    EXPECT_EQ(pop(heap, 10).size(), 1u);
    EXPECT_EQ(heap.earliest(), 20);
    EXPECT_EQ(pop(heap, 57).size(), 1u);
    EXPECT_EQ(heap.earliest(), 60) << "still in step with its first moment";
    (void)heap.reset(t, 10, end_of_time);
    EXPECT_EQ(pop(heap, 20).size(), 1u);
    EXPECT_EQ(heap.earliest(), end_of_time) << "no overflow";
    EXPECT_TRUE(timer_heap::stop(t));
}

TEST(timer_heap, a_lost_claim_leaves_no_errand) {
    // The owner was faster: the memory that run() would touch may be gone.
    timer_heap heap;
    timer t;
    t.run = [](void*) {};
    t.claim = [](timer&) -> void* { return nullptr; };
    (void)heap.reset(t, 1);
    timer_errand due[1];
    ASSERT_EQ(heap.pop_due(1, due, 1), 1u);
    EXPECT_EQ(due[0].arg, nullptr);
    EXPECT_NE(due[0].run, nullptr) << "no run stands for a wait";
    EXPECT_FALSE(timer_heap::stop(t));
}

TEST(kb26_timer_heap, moves_all_timers_of_a_p_that_goes_away) {
    // A timer left behind never comes due; a timer that forgets its new heap is stopped in the old
    // heap.
    timer_heap leaving, staying;
    std::vector<self_timer> timers(200);
    self_timer stopped;
    for (std::size_t i = 0; i < timers.size(); ++i)
        (void)leaving.reset(timers[i], static_cast<std::int64_t>(1000 - i));
    (void)leaving.reset(stopped, 5);
    EXPECT_TRUE(timer_heap::stop(stopped));
    self_timer untouched;
    (void)leaving.reset(untouched, 5000);
    EXPECT_TRUE(leaving.move_all(staying)) << "the earliest moment of the other became earlier";
    EXPECT_EQ(leaving.size(), 0u);
    EXPECT_EQ(leaving.earliest(), 0);
    EXPECT_EQ(staying.size(), timers.size() + 1);
    EXPECT_TRUE(timer_heap::stop(timers[199]));
    EXPECT_TRUE(leaving.reset(timers[198], 3).was_started);
    (void)leaving.reset(stopped, 4);
    self_timer fresh;
    (void)leaving.reset(fresh, 2);
    EXPECT_EQ(leaving.size(), 0u) << "nothing may be put where nobody looks";
    EXPECT_EQ(pop(staying, 4), (std::vector<timer*>{&fresh, &timers[198], &stopped}));
    EXPECT_EQ(pop(staying, 1000, 1000).size(), 198u);
    leaving.reopen();
    EXPECT_TRUE(timer_heap::stop(untouched)) << "looked for in the heap that it had left";
    EXPECT_EQ(staying.size(), 0u);
    (void)leaving.reset(fresh, 7);
    EXPECT_EQ(staying.size() + leaving.size(), 1u);
    self_timer other;
    (void)leaving.reset(other, 8);
    EXPECT_EQ(pop(leaving, 8).back(), &other);
    (void)timer_heap::stop(fresh);
}

TEST(kb30_timer_heap, stops_starts_and_pops_of_several_threads_give_each_start_one_end) {
    // Each start must end in exactly one way: stopped, moved, or come due. A timer that is lost or
    // comes due twice breaks the sum. Heaps trade places meanwhile, as ps that come and go.
    constexpr int threads = 3, timer_count = 16;
    static const int rounds = 20'000;
    static timer_heap heaps[2];
    static std::vector<self_timer> timers(timer_count);
    std::atomic<long> starts{0}, ends{0};
    std::atomic<bool> over{false};
    const auto churn = [&](unsigned seed) {
        std::mt19937 rand(seed);
        for (int i = 0; i < rounds; ++i) {
            timer& t = timers[rand() % timer_count];
            if (rand() % 3 == 0) {
                ends += timer_heap::stop(t);
            } else {
                ++starts;
                ends += heaps[rand() % 2]
                            .reset(t, 1 + static_cast<std::int64_t>(rand() % 100))
                            .was_started;
            }
        }
    };
    std::thread popper([&] {
        std::mt19937 rand(99);
        while (!over) {
            for (timer_heap& heap : heaps)
                ends +=
                    static_cast<long>(pop(heap, static_cast<std::int64_t>(rand() % 100)).size());
            if (rand() % 64 != 0) continue;
            const std::size_t gone = rand() % 2;
            (void)heaps[gone].move_all(heaps[1 - gone]);
            heaps[gone].reopen();
        }
    });
    std::vector<std::thread> churners;
    for (unsigned i = 0; i < threads; ++i) churners.emplace_back(churn, i);
    for (std::thread& t : churners) t.join();
    over = true;
    popper.join();
    for (timer_heap& heap : heaps) ends += static_cast<long>(pop(heap, 1000, 1000).size());
    EXPECT_EQ(starts, ends);
    for (timer_heap& heap : heaps) EXPECT_EQ(heap.size(), 0u);
}

}  // namespace
}  // namespace rota::rt
