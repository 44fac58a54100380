// Checks the run queues by themselves: one thread, goroutines that never run.
#include "sched/queue/run_queue.hpp"

#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <rota/runtime.hpp>

#include "sched/base/hooks.hpp"
#include "sched/preempt/lend.hpp"
#include "sys/call/clock.hpp"

namespace rota::rt {
namespace {

// Goroutines that exist only as headers, and two ps that the scheduler does not know.
class run_queue : public testing::Test {
  protected:
    run_queue() : owner_(std::make_unique<p>()), thief_(std::make_unique<p>()) {
        boot_runtime();
        const lock_guard guard(sched.mu);
        sched.urgent_lead = 0;
    }

    ~run_queue() override {
        const lock_guard guard(sched.mu);
        EXPECT_TRUE(sched.runq.empty())
            << "a test left goroutines where the scheduler would run them";
    }

    g& make() {
        gs_.push_back(std::make_unique<g>());
        gs_.back()->status.store(g_status::runnable, memory_order_relaxed);
        gs_.back()->goid = gs_.size();
        return *gs_.back();
    }

    std::uint64_t get(p& pp) {
        bool inherit = false;
        const g* gp = runq_get(pp, inherit);
        return gp == nullptr ? 0 : gp->goid;
    }

    // Takes the global queue's goroutines back before an m can see them: the caller holds sched.mu.
    static std::vector<std::uint64_t> take_global() ROTA_REQUIRES(sched.mu) {
        std::vector<std::uint64_t> out;
        while (!sched.runq.empty()) out.push_back(sched.runq.pop()->goid);
        sched.runq_size.store(0, memory_order_seq_cst);
        return out;
    }

    std::unique_ptr<p> owner_;
    std::unique_ptr<p> thief_;
    std::deque<std::unique_ptr<g>> gs_;
};

using kb16_run_queue = run_queue;

TEST_F(run_queue, is_first_in_first_out_behind_runnext) {
    // Fairness depends on this order: a goroutine in runnext overtakes the queue, and the goroutine
    // that it displaces goes to the tail.
    runq_put(*owner_, make(), false);  // 1
    runq_put(*owner_, make(), true);   // 2
    runq_put(*owner_, make(), true);   // 3 displaces 2
    EXPECT_EQ(runq_length(*owner_), 3u);
    bool inherit = false;
    EXPECT_EQ(runq_get(*owner_, inherit)->goid, 3u);
    EXPECT_TRUE(inherit);
    EXPECT_EQ(runq_get(*owner_, inherit)->goid, 1u);
    EXPECT_FALSE(inherit);
    EXPECT_EQ(get(*owner_), 2u);
    EXPECT_EQ(get(*owner_), 0u);
    EXPECT_TRUE(runq_empty(*owner_));
}

TEST_F(kb16_run_queue, survives_the_wrap_of_its_indices) {
    // Indices are 32 bits and wrap after 2^32 goroutines: the differences must still be right.
    const std::uint32_t near_end = ~std::uint32_t{0} - 100;
    owner_->runq_head.store(near_end, memory_order_relaxed);
    owner_->runq_tail.store(near_end, memory_order_relaxed);
    std::uint64_t expected = 0;
    for (int i = 0; i < 1000; ++i) {
        runq_put(*owner_, make(), false);
        EXPECT_EQ(get(*owner_), ++expected);
    }
    EXPECT_TRUE(runq_empty(*owner_));
}

TEST_F(run_queue, steal_takes_the_older_half) {
    // A thief that takes the whole ring only moves the problem; a thief that takes the younger half
    // breaks the order.
    for (int i = 0; i < 9; ++i) runq_put(*owner_, make(), false);
    const g* last = runq_steal(*thief_, *owner_, false);
    ASSERT_NE(last, nullptr);
    EXPECT_EQ(last->goid, 5u);  // the last of five, to run now; the rest stay in order
    for (std::uint64_t i = 1; i <= 4; ++i) EXPECT_EQ(get(*thief_), i);
    for (std::uint64_t i = 6; i <= 9; ++i) EXPECT_EQ(get(*owner_), i);
}

TEST_F(run_queue, runnext_is_stolen_only_when_asked_for) {
    // A runnext stolen too early makes ping-pong slow. If it is never stolen, a child waits for
    // ever behind a parent that computes.
    runq_put(*owner_, make(), true);
    EXPECT_EQ(runq_steal(*thief_, *owner_, false), nullptr);
    const g* next = runq_steal(*thief_, *owner_, true);
    ASSERT_NE(next, nullptr);
    EXPECT_EQ(next->goid, 1u);
    EXPECT_TRUE(runq_empty(*owner_));
}

TEST_F(kb16_run_queue, loses_and_doubles_nothing_between_owner_and_thieves) {
    // An owner could overwrite a slot that a thief still copies, or two takers could use one head:
    // the goroutines that come out would differ from those that went in. The threads are real; the
    // ring is kept short so that they meet. With one processor there are no thieves, and an owner
    // takes without an exchange.
    const int before = rota::runtime::gomaxprocs(2);
    constexpr std::uint64_t total = 200'000;
    std::vector<std::unique_ptr<std::atomic<int>>> taken;
    for (std::uint64_t i = 0; i <= total; ++i)
        taken.push_back(std::make_unique<std::atomic<int>>(0));
    for (std::uint64_t i = 0; i < total; ++i) make();
    std::atomic<bool> done{false};
    std::vector<std::thread> thieves;
    for (int t = 0; t < 2; ++t) {
        thieves.emplace_back([&] {
            auto own = std::make_unique<p>();
            const auto count = [&](const g* gp) { taken[gp->goid]->fetch_add(1); };
            for (;;) {
                const bool last_round = done.load();
                while (const g* gp = runq_steal(*own, *owner_, true)) {
                    count(gp);
                    bool inherit = false;
                    while (const g* mine = runq_get(*own, inherit)) count(mine);
                }
                if (last_round) return;
            }
        });
    }
    for (std::uint64_t i = 0; i < total; ++i) {
        while (runq_length(*owner_) > 8) {
            if (const std::uint64_t id = get(*owner_)) taken[id]->fetch_add(1);
        }
        runq_put(*owner_, *gs_[i], i % 3 == 0);
    }
    while (const std::uint64_t id = get(*owner_)) taken[id]->fetch_add(1);
    done.store(true);
    for (std::thread& t : thieves) t.join();
    rota::runtime::gomaxprocs(before);
    for (std::uint64_t i = 1; i <= total; ++i) ASSERT_EQ(taken[i]->load(), 1) << "goroutine " << i;
}

TEST_F(run_queue, global_share_is_fair_and_bounded) {
    // A p that takes the whole queue starves other ps; a p that takes a single g pays for the lock
    // each time.
    const auto procs = static_cast<std::uint32_t>(sched.gomaxprocs);
    const lock_guard guard(sched.mu);
    for (int i = 0; i < 600; ++i) global_put(make());
    const std::uint32_t share = 600 / procs + 1;
    const std::uint32_t expected = share < p::runq_size / 2 ? share : p::runq_size / 2;
    EXPECT_EQ(global_get(*owner_, 0)->goid, 1u);
    EXPECT_EQ(runq_length(*owner_) + 1, expected);
    EXPECT_EQ(global_get(*thief_, 1)->goid, expected + 1);
    EXPECT_TRUE(runq_empty(*thief_));
    EXPECT_EQ(take_global().size(), 600 - expected - 1);
}

TEST_F(run_queue, kb10_those_in_a_hurry_take_turns_with_the_others) {
    // A look at descriptors brings urgent goroutines by the hundred. If each waited for a whole
    // batch of normal goroutines, the last would be served a hundred times later than goroutines
    // that came after it.
    const lock_guard guard(sched.mu);
    for (int i = 0; i < 40; ++i) global_put(make());        // 1 to 40
    for (int i = 0; i < 3; ++i) global_put_urgent(make());  // 41 to 43
    owner_->computed_at = INT64_MAX;  // just now, however long this thread has no processor
    std::vector<std::uint64_t> order;
    while (!sched.urgent.empty() && order.size() < 10) {
        order.push_back(global_get(*owner_, 0)->goid);
        EXPECT_TRUE(sched.urgent.empty() || runq_empty(*owner_));
    }
    EXPECT_EQ(order, (std::vector<std::uint64_t>{41, 1, 42, 2, 43}));
    EXPECT_EQ(global_get(*owner_, 0)->goid, 3u);
    EXPECT_FALSE(sched.urgent_waits.load(memory_order_relaxed));
    take_global();
}

TEST_F(run_queue, kb10_those_in_a_hurry_go_to_the_ring_where_turns_are_short) {
    // Served one by one, the last urgent goroutine would wait for as many turns of this p as there
    // are between two looks, each time.
    for (int i = 0; i < 256; ++i) runq_put(*thief_, make(), false);  // 1 to 256
    // Held to the end: an m that wakes in between would run them.
    const lock_guard guard(sched.mu);
    global_put(make());                                      // 257
    for (int i = 0; i < 20; ++i) global_put_urgent(make());  // 258 to 277
    EXPECT_EQ(global_get(*owner_, 0)->goid, 258u);
    for (std::uint64_t id = 259; id <= 266; ++id) EXPECT_EQ(get(*owner_), id);
    EXPECT_TRUE(runq_empty(*owner_));
    EXPECT_EQ(global_get(*owner_, 0)->goid, 257u) << "and the others in between";
    EXPECT_EQ(global_get(*thief_, 1)->goid, 267u) << "no room behind it";
    EXPECT_EQ(runq_length(*thief_), 256u);
    while (!sched.urgent.empty()) (void)global_get(*owner_, 0);
    EXPECT_FALSE(sched.urgent_waits.load(memory_order_relaxed));
    take_global();
}

TEST_F(run_queue, kb10_those_in_a_hurry_do_not_come_by_the_ringful_where_others_come_one_by_one) {
    // Further urgent goroutines follow the first into the ring. If a single normal goroutine came
    // in between, the last of the normal goroutines would wait for nine times as many turns.
    for (int i = 0; i < 251; ++i) runq_put(*thief_, make(), false);  // 1 to 251
    const lock_guard guard(sched.mu);
    for (int i = 0; i < 40; ++i) global_put(make());          // 252 to 291
    for (int i = 0; i < 100; ++i) global_put_urgent(make());  // 292 to 391
    const auto next_turn = [&]() ROTA_REQUIRES(sched.mu) {
        std::vector<std::uint64_t> first_and_last{global_get(*owner_, 1)->goid, 0};
        while (const std::uint64_t id = get(*owner_)) first_and_last.back() = id;
        return first_and_last;
    };
    using ids = std::vector<std::uint64_t>;
    EXPECT_EQ(next_turn(), (ids{292, 300}));
    EXPECT_EQ(next_turn(), (ids{252, 260}));
    EXPECT_EQ(next_turn(), (ids{301, 309}));
    // If the ring has room for fewer of them, the rest come next.
    EXPECT_EQ(global_get(*thief_, 1)->goid, 261u);
    EXPECT_EQ(runq_length(*thief_), 256u);
    EXPECT_EQ(global_get(*thief_, 1)->goid, 267u);
    EXPECT_EQ(global_get(*thief_, 1)->goid, 268u);
    EXPECT_EQ(global_get(*thief_, 1)->goid, 269u);
    EXPECT_EQ(global_get(*thief_, 1)->goid, 310u) << "and then those in a hurry";
    EXPECT_EQ(global_get(*thief_, 1)->goid, 270u);
    // One long turn counts as much as many short turns.
    EXPECT_EQ(next_turn(), (ids{311, 319}));
    note_computed(*owner_, nanotime());
    EXPECT_EQ(next_turn(), (ids{271, 0}));
    EXPECT_EQ(next_turn(), (ids{320, 0}));
    take_global();
    // A normal goroutine that is alone in the queue, and comes back each time, must not get the
    // turns of the urgent goroutines.
    g& alone = make();  // 392
    global_put(alone);
    while (get(*thief_) != 0) {
    }
    EXPECT_EQ(global_get(*thief_, 1)->goid, 392u);
    global_put(alone);
    EXPECT_EQ(global_get(*thief_, 1)->goid, 321u);
    EXPECT_EQ(runq_length(*thief_), 8u);
    EXPECT_EQ(global_get(*thief_, 1)->goid, 392u);
    global_put(alone);
    EXPECT_EQ(global_get(*thief_, 1)->goid, 330u);
    while (!sched.urgent.empty()) (void)global_get(*thief_, 1);
    take_global();
}

TEST_F(run_queue, kb10_those_who_have_waited_for_long_get_more_turns) {
    // Rings that spill and never get empty would let one in per 61 turns: of thousands the last
    // would wait for seconds. While no goroutine waits for long, more than one turn would be wasted
    // work.
    constexpr std::int64_t period = 60'000'000;
    const lock_guard guard(sched.mu);
    std::int64_t now = sched.runq_mark_at;
    while (global_turns(now += period) > 1) {  // the queue is empty
    }
    for (int i = 0; i < 4; ++i) global_put(make());
    EXPECT_EQ(global_turns(now += period), 1u);  // these goroutines have come since
    EXPECT_EQ(global_turns(now + 1), 1u);
    std::vector<std::uint32_t> turns;
    for (int i = 0; i < 7; ++i) turns.push_back(global_turns(now += period));
    EXPECT_EQ(turns, (std::vector<std::uint32_t>{2, 4, 8, 16, 32, 61, 61}));
    EXPECT_EQ(take_global().size(), 4u);
    EXPECT_EQ(global_turns(now += period), 30u);
    while (global_turns(now += period) > 1) {
    }
    sched.runq_mark_at = 0;
}

TEST_F(run_queue, kb10_a_processor_that_is_lent_again_and_again_looks_after_the_others) {
    // Each lending could begin a new period in which normal goroutines must wait.
    const auto lender = std::make_unique<m>();
    const lock_guard guard(sched.mu);
    global_put(make());  // 1
    global_put(make());  // 2
    EXPECT_EQ(global_get(*owner_, 1)->goid, 1u);
    int ticks = 0;
    do {
        owner_->lender = lender.get();  // as lend() does
        owner_->sched_tick.store(static_cast<std::uint32_t>(++ticks), memory_order_relaxed);
    } while (is_lent_still(*owner_) && ticks < 1000);
    EXPECT_EQ(ticks, 122);
    EXPECT_EQ(owner_->lender, nullptr);
    EXPECT_EQ(global_get(*owner_, 1)->goid, 2u);
    owner_->lender = lender.get();
    EXPECT_TRUE(is_lent_still(*owner_));
    take_global();
}

}  // namespace
}  // namespace rota::rt
