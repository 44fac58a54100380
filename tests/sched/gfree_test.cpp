// Dead goroutines: reused hot, passed on in batches, given back when nobody wants them.
#include "sched/gfree.hpp"

#include <memory>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "sched/hooks.hpp"
#include "sched/idle.hpp"

namespace rota::rt {
namespace {

constexpr std::uint8_t usual = stack_class_for(stack_size_default);

// A p that the scheduler does not know, and what was taken through it. One of the scheduler's is
// not idle meanwhile: sysmon empties the pools of a process in which all are.
class gfree : public testing::Test {
  protected:
    gfree() : pp_(std::make_unique<p>()) {
        boot_runtime();
        while (busy_ == nullptr) {
            const lock_guard guard(sched.mu);
            busy_ = pidle_get();
        }
    }

    // Everything goes to the global pool, where the runtime finds it.
    ~gfree() override {
        while (pp_->gfree_count > 0) gfput(nullptr, *pp_->gfree[--pp_->gfree_count]);
        for (g* const gp : taken_) gfput(nullptr, *gp);
        const lock_guard guard(sched.mu);
        pidle_put(*busy_);
    }

    // Takes `n` dead goroutines away from everybody.
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
    // Its stack is in the cache; the oldest would be the coldest.
    // Then the goroutines would come back in another order.
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
    // A p that only ends goroutines would hoard them, one that only starts them would make new
    // ones. Then the p's list would grow beyond its bound, or the pool's count would not rise.
    take(p::gfree_max + 1);
    for (std::uint32_t i = 0; i < p::gfree_max; ++i) gfput(pp_.get(), untake());
    EXPECT_EQ(pp_->gfree_count, p::gfree_max);
    const std::uint64_t pooled = gfree_count();
    gfput(pp_.get(), untake());
    EXPECT_EQ(pp_->gfree_count, p::gfree_max / 2 + 1);
    // The monitor may give some back at the same moment.
    EXPECT_LE(gfree_count(), pooled + p::gfree_max / 2);
    EXPECT_GE(gfree_count() + pooled / 8, pooled);
}

TEST_F(gfree, refills_an_empty_list_from_the_pool) {
    // A p could make fresh stacks although the pool is full.
    // Then the goroutines it gets would not be those of the pool.
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
    // A goroutine that asked for a large stack could get a small one that died before.
    // Then the class of what comes back would differ.
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
    // Another default size could leave the p's list: each go would take the pool's lock.
    // Then what died would not lie in the list, or come out with the size of before.
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
    // The monitor may give some back at the same moment.
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
    // Only the pool of the usual size could be watched: a burst of others would stay for ever.
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
    // Stacks of clients that have left could stay for a minute in a process that is never idle.
    // Then no more than a sixteenth of what nobody has wanted would go.
    constexpr std::uint32_t burst = 3000, kept = 1024;
    take(burst);
    while (!taken_.empty()) gfput(nullptr, untake());
    constexpr std::uint32_t others = 200;  // that the monitor may have given back
    EXPECT_GE(gfree_unused(true), burst - kept - others);
    EXPECT_LE(gfree_unused(true) + kept, gfree_count() + others);
}

TEST_F(gfree, gathers_what_idle_processors_keep) {
    // 64 stacks of each processor, as deep as goroutines have used them, could stay for ever.
    // Then the list of an idle p would not be empty afterwards, or one of a busy p would be.
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
    // The pool could keep for ever what one burst needed, or throw away what is in use all the
    // time. Then nothing would be unused after a quiet period, or something after a busy one.
    constexpr std::uint32_t burst = 3000;
    take(burst);
    const auto pages_of = [](const g& gp) { return gp.stack; };
    const stack_slot slot = pages_of(*taken_.front());
    while (!taken_.empty()) gfput(nullptr, untake());
    (void)gfree_unused();  // the period begins
    const std::uint64_t quiet = gfree_unused();
    EXPECT_GT(quiet, 0u);
    EXPECT_LE(quiet, gfree_count());  // other tests have left some too
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
