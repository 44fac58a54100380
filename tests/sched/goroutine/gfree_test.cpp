// Checks dead goroutines: reused while hot, passed on in batches, given back when no p wants them.
#include "sched/goroutine/gfree.hpp"

#include <memory>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "sched/base/hooks.hpp"
#include "sched/queue/idle.hpp"

namespace rota::rt {
namespace {

constexpr std::uint8_t usual = stack_class_for(stack_size_default);

// A p that the scheduler does not know, and the goroutines taken through it. The fixture keeps a p
// of the scheduler busy: sysmon empties the pools of a process in which every p is idle.
class gfree : public testing::Test {
  protected:
    gfree() : pp_(std::make_unique<p>()) {
        boot_runtime();
        while (busy_ == nullptr) {
            const lock_guard guard(sched.mu);
            busy_ = pidle_get();
        }
    }

    // Each goroutine goes to the global pool, where the runtime finds it.
    ~gfree() override {
        while (pp_->gfree_count > 0) gfput(nullptr, *pp_->gfree[--pp_->gfree_count]);
        for (g* const gp : taken_) gfput(nullptr, *gp);
        const lock_guard guard(sched.mu);
        pidle_put(*busy_);
    }

    // Takes `n` dead goroutines out of the pools.
    void take(std::uint32_t n) {
        for (std::uint32_t i = 0; i < n; ++i) {
            g* const gp = gfget(nullptr, usual);
            ASSERT_NE(gp, nullptr);
            taken_.push_back(gp);
        }
    }
    g& untake() {
        g* const gp = taken_.back();
        taken_.pop_back();
        return *gp;
    }

    p* busy_ = nullptr;
    std::unique_ptr<p> pp_;
    std::vector<g*> taken_;
};

TEST_F(gfree, gives_the_one_that_died_last_first) {
    // The last dead goroutine's stack is in the cache; the oldest would be the coldest. Otherwise
    // the goroutines would come back in another order.
    take(10);
    const std::vector<g*> dead = taken_;
    while (!taken_.empty()) gfput(pp_.get(), untake());
    for (g* const expected : dead) {
        g* const gp = gfget(pp_.get(), usual);
        EXPECT_EQ(gp, expected);
        taken_.push_back(gp);
    }
}

TEST_F(gfree, passes_half_of_a_full_list_to_the_pool) {
    // A p that only ends goroutines would hoard them, and a p that only starts them would make new
    // ones. The p's list would then grow beyond its bound, or the pool's count would not rise.
    take(p::gfree_max + 1);
    for (std::uint32_t i = 0; i < p::gfree_max; ++i) gfput(pp_.get(), untake());
    EXPECT_EQ(pp_->gfree_count, p::gfree_max);
    const std::uint64_t pooled = gfree_count();
    gfput(pp_.get(), untake());
    EXPECT_EQ(pp_->gfree_count, p::gfree_max / 2 + 1);
    // Sysmon may give goroutines back at the same moment.
    EXPECT_LE(gfree_count(), pooled + p::gfree_max / 2);
    EXPECT_GE(gfree_count() + pooled / 8, pooled);
}

TEST_F(gfree, refills_an_empty_list_from_the_pool) {
    // A p could make fresh stacks although the pool is full: its goroutines would not be those of
    // the pool.
    take(100);
    const std::set<g*> dead(taken_.begin(), taken_.end());
    while (!taken_.empty()) gfput(nullptr, untake());
    for (int i = 0; i < 50; ++i) {
        g* const gp = gfget(pp_.get(), usual);
        EXPECT_EQ(dead.count(gp), 1u) << "not one of those that died last";
        taken_.push_back(gp);
    }
    EXPECT_LE(pp_->gfree_count, p::gfree_max);
}

TEST_F(gfree, keeps_stacks_of_different_sizes_apart) {
    // A goroutine that asked for a large stack could get a small dead stack: the class of the
    // returned stack would differ.
    const std::uint8_t large = stack_class_for(std::size_t{1} << 20);
    const std::uint8_t small = stack_class_for(std::size_t{32} << 10);
    g* const a = gfget(pp_.get(), large);
    g* const b = gfget(pp_.get(), small);
    EXPECT_EQ(a->stack.cls, large);
    EXPECT_EQ(b->stack.cls, small);
    gfput(pp_.get(), *a);
    gfput(pp_.get(), *b);
    EXPECT_EQ(pp_->gfree_count, 0u) << "only the default size is kept per p";
    g* const again = gfget(pp_.get(), large);
    EXPECT_EQ(again, a);
    g* const usual_one = gfget(pp_.get(), usual);
    EXPECT_EQ(usual_one->stack.cls, usual);
    taken_ = {again, gfget(nullptr, small), usual_one};
}

TEST_F(gfree, keeps_the_size_that_is_the_default_now) {
    // Dead goroutines of another default size could bypass the p's list: each go would take the
    // pool's lock. They would then not lie in the list, or come out with the old size.
    const std::uint8_t other = stack_class_for(std::size_t{64} << 10);
    struct restore {
        ~restore() { default_stack_class.store(usual, memory_order_relaxed); }
    } at_end;
    take(3);
    const std::uint64_t pooled = gfree_count();
    for (int i = 0; i < 3; ++i) gfput(pp_.get(), untake());
    EXPECT_EQ(pp_->gfree_count, 3u);
    default_stack_class.store(other, memory_order_relaxed);
    g* const a = gfget(pp_.get(), other);
    EXPECT_EQ(a->stack.cls, other);
    // Sysmon may give goroutines back at the same moment.
    EXPECT_GE(gfree_count() + pooled / 8 + 1, pooled + 3) << "the old size waits for others";
    const std::uint32_t listed = pp_->gfree_count;
    gfput(pp_.get(), *a);
    EXPECT_EQ(pp_->gfree_count, listed + 1);
    EXPECT_EQ(gfget(pp_.get(), other), a) << "the one that died last";
    g* const usual_one = gfget(pp_.get(), usual);
    EXPECT_EQ(usual_one->stack.cls, usual);
    EXPECT_EQ(pp_->gfree_class, other) << "one that asks for a size of its own changes nothing";
    taken_ = {a, usual_one};
}

TEST_F(gfree, gives_back_what_nobody_wanted_of_every_size) {
    // If only the pool of the usual size were watched, a burst of other sizes would stay for ever.
    const std::uint8_t small = stack_class_for(std::size_t{16} << 10);
    for (int i = 0; i < 2000; ++i) taken_.push_back(gfget(nullptr, small));
    while (!taken_.empty()) gfput(nullptr, untake());
    (void)gfree_unused();
    EXPECT_GE(gfree_unused(), 2000u / 16);
    const stack_slot last = [&] {
        g* const gp = gfget(nullptr, small);
        const stack_slot slot = gp->stack;
        gfput(nullptr, *gp);
        return slot;
    }();
    gfree_release(1);
    EXPECT_EQ(header_of(last)->status.load(memory_order_relaxed), g_status::idle);
}

TEST_F(gfree, gives_back_most_of_a_pool_where_that_is_asked_for) {
    // Stacks of clients that have left could stay for a minute in a process that is never idle: no
    // more than a sixteenth of the unused stacks would go.
    constexpr std::uint32_t burst = 3000, kept = 1024;
    take(burst);
    while (!taken_.empty()) gfput(nullptr, untake());
    constexpr std::uint32_t others = 200;  // goroutines that sysmon may have given back
    EXPECT_GE(gfree_unused(true), burst - kept - others);
    EXPECT_LE(gfree_unused(true) + kept, gfree_count() + others);
}

TEST_F(gfree, gathers_what_idle_processors_keep) {
    // 64 stacks of each processor, as deep as goroutines have used them, could stay for ever. The
    // list of an idle p would then not be empty afterwards, or the list of a busy p would be.
    take(2);
    g& of_idle = untake();
    g& of_busy = untake();
    gfput(pp_.get(), of_busy);
    {
        const lock_guard guard(sched.mu);
        pidle_put(*busy_);
        gfput(busy_, of_idle);
        EXPECT_TRUE(gfree_has_idle());
        gfree_gather_idle();
        EXPECT_EQ(busy_->gfree_count, 0u);
        EXPECT_EQ(pidle_get(), busy_);
    }
    EXPECT_EQ(pp_->gfree_count, 1u);
    EXPECT_GE(gfree_count(), 1u);
}

TEST_F(gfree, gives_back_a_part_of_what_nobody_wanted) {
    // The pool could keep for ever the stacks of one burst, or drop stacks that are in constant
    // use. Nothing would then be unused after a quiet period, or stacks would be unused after a
    // busy period.
    constexpr std::uint32_t burst = 3000;
    take(burst);
    const auto pages_of = [](const g& gp) { return gp.stack; };
    const stack_slot slot = pages_of(*taken_.front());
    while (!taken_.empty()) gfput(nullptr, untake());
    (void)gfree_unused();  // the period begins
    const std::uint64_t quiet = gfree_unused();
    EXPECT_GT(quiet, 0u);
    EXPECT_LE(quiet, gfree_count());  // other tests have left goroutines too
    const std::uint64_t before = gfree_count();
    gfree_release(before);
    EXPECT_EQ(gfree_count(), 0u);
    EXPECT_EQ(header_of(slot)->status.load(memory_order_relaxed), g_status::idle)
        << "given back: reads as never used";
    EXPECT_EQ(gfree_unused(), 0u) << "an empty pool has nothing to give";
    take(10);  // and goroutines can be made again
}

}  // namespace
}  // namespace rota::rt
