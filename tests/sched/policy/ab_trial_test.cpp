// Checks which of two ways the A/B trial gives more time. The test supplies the clock and the
// steps.
#include "sched/policy/ab_trial.hpp"

#include <gtest/gtest.h>

namespace rota::rt {
namespace {

using sample_state = ab_trial::sample_state;
constexpr ab_way first = ab_way::first, second = ab_way::second;

constexpr std::int64_t us = 1'000;
constexpr ab_trial_rules rules{.slot_ns = 1000 * us,
                               .settling_ns = 200 * us,
                               .counted_ns_min = 300 * us,
                               .steps_min = 100,
                               .overtime_ns = 5000 * us,
                               .slots_max = 16,
                               .growth = 4,
                               .margin = 100,
                               .margin_equal = 100,
                               .memory = 1,
                               .gain_of_harm = 0};

// A program that does `per_ms` steps a millisecond in either way; the trial looks at it every 10
// µs.
class scene {
  public:
    explicit scene(const ab_trial_rules& r = rules) : trial(r) { trial.begin_afresh(now); }

    sample_state look() {
        now += 10 * us;
        done += per_ms[trial.now_is() == first ? 0 : 1];
        return trial.look(now, [this] { return steps(); });
    }
    std::uint32_t steps() const { return static_cast<std::uint32_t>(done / 100); }
    // Runs to the end of the sample; returns the length of the sample in slots.
    std::int64_t go_through_row() {
        const std::int64_t since = now;
        std::uint64_t then = 0;
        for (sample_state r = look(); r != sample_state::is_over; r = look())
            if (r == sample_state::begins_to_count) then = steps();
        const std::uint64_t cost = cost_ns[trial.now_is() == first ? 0 : 1];
        trial.end_sample(now, static_cast<std::int64_t>((steps() - then) * cost),
                         waiting[trial.now_is() == first ? 0 : 1]);
        return (now - since + rules.slot_ns / 2) / rules.slot_ns;
    }
    // The share of the first way in the time of n samples, in percent.
    std::int64_t share_of_first(int n) {
        std::int64_t of_first = 0, all = 0;
        for (int i = 0; i < n; ++i) {
            const bool is_first = trial.now_is() == first;
            const std::int64_t slots = go_through_row();
            if (is_first) of_first += slots;
            all += slots;
        }
        return of_first * 100 / all;
    }

    ab_trial trial;
    std::int64_t now = 1'000'000'000;
    std::uint64_t done = 0;
    std::uint64_t per_ms[2] = {1000, 1000};
    std::uint64_t cost_ns[2] = {0, 0};  // ns of a step; 0: not measured
    std::int64_t waiting[2] = {0, 0};   // eighths
};

// Whether way `w` has nearly the whole time in the end.
testing::AssertionResult prefers(scene s, ab_way w) {
    s.share_of_first(20);
    const std::int64_t share = s.share_of_first(20);
    if (w == second ? share < 10 : share > 90) return testing::AssertionSuccess();
    return testing::AssertionFailure() << share << " % of the time are the first one's";
}

TEST(ab_trial, begins_with_the_first_way_and_ends_no_row_before_its_time) {
    scene s;
    EXPECT_EQ(s.trial.now_is(), first);
    std::int64_t settled = 0, silent = 0;
    const std::int64_t since = s.now;
    for (;;) {
        const sample_state r = s.look();
        if (r == sample_state::begins_to_count) settled = s.now;
        if (r == sample_state::settles) silent = s.now;
        if (r == sample_state::is_over) break;
    }
    EXPECT_EQ(settled - since, rules.settling_ns);
    EXPECT_EQ(silent - since, rules.settling_ns + rules.counted_ns_min - 10 * us);
    EXPECT_EQ(s.now - since, rules.slot_ns);
    EXPECT_EQ(s.trial.now_is(), first);
    s.trial.end_sample(s.now);
    EXPECT_EQ(s.trial.now_is(), second);
}

TEST(ab_trial, gives_the_better_way_more_and_more_of_the_time_up_to_a_limit) {
    {
        scene s;
        s.per_ms[0] = 1500;
        for (const std::int64_t slots : {1, 1, 4, 1, 16, 1, 16})
            EXPECT_EQ(s.go_through_row(), slots);
    }
    scene s;  // weighed after each sample: the second way has won twice before its second sample
    s.per_ms[1] = 1500;
    for (const std::int64_t slots : {1, 1, 1, 16, 1, 16}) EXPECT_EQ(s.go_through_row(), slots);
}

TEST(ab_trial, gives_the_second_way_a_longer_row_at_first_where_it_is_told_to) {
    ab_trial_rules trusting = rules;
    trusting.slots_at_first = 8;
    scene s(trusting);
    for (const std::int64_t slots : {1, 8, 4, 1}) EXPECT_EQ(s.go_through_row(), slots);
    s.go_through_row();
    s.trial.begin_afresh(s.now);  // the first way has been better throughout
    s.trial.begin_afresh(s.now);
    for (const std::int64_t slots : {1, 1}) EXPECT_EQ(s.go_through_row(), slots);
    s.per_ms[1] = 1500;
    for (int i = 0; i < 6; ++i) s.go_through_row();
    s.trial.begin_afresh(s.now);  // the second way has been better
    for (const std::int64_t slots : {1, 8}) EXPECT_EQ(s.go_through_row(), slots);
    s.trial.begin_first(s.now);
    s.go_through_row();
    s.trial.abort_sample(s.now);  // the second way has done harm in that sample
    EXPECT_EQ(s.trial.slots(second), 1);
}

TEST(ab_trial, prefers_the_second_way_by_a_margin_only) {
    for (const std::uint64_t per_ms : {1000u, 1090u, 1110u}) {
        scene s;
        s.per_ms[1] = per_ms;
        EXPECT_TRUE(prefers(s, per_ms == 1110 ? second : first)) << per_ms;
    }
}

TEST(ab_trial, takes_the_second_way_by_default_where_the_margin_is_negative) {
    ab_trial_rules lenient = rules;
    lenient.margin_equal = -50;
    for (const std::uint64_t per_ms : {1100u, 1000u, 960u, 940u}) {
        scene s(lenient);
        s.per_ms[1] = per_ms;
        EXPECT_TRUE(prefers(s, per_ms == 940 ? first : second)) << per_ms;
    }
}

// What could go wrong: processors are idle, and fewer requests come than could be answered. The
// second way does as much work, but each request waits for those before it.
TEST(ab_trial, takes_the_second_way_by_default_only_where_no_more_wait_for_it) {
    ab_trial_rules lenient = rules;
    lenient.margin_equal = -50;
    struct {
        std::int64_t first, second;
        std::uint64_t per_ms;  // of the second way; the first way's are 1000
        bool is_better;
    } const all[] = {{0, 8 * 8, 1000, true},        {0, 9 * 8, 1000, false},
                     {0, 9 * 8, 1120, true},        {40 * 8, 60 * 8, 1000, true},
                     {40 * 8, 90 * 8, 1000, false}, {90 * 8, 0, 1000, true}};
    for (const auto& each : all) {
        scene s(lenient);
        s.per_ms[1] = each.per_ms;
        s.waiting[0] = each.first;
        s.waiting[1] = each.second;
        EXPECT_TRUE(prefers(s, each.is_better ? second : first))
            << each.first << " and " << each.second;
    }
}

// What could go wrong: a way that is taken by default is taken again at once, however often it has
// done harm.
TEST(ab_trial, is_slow_to_take_a_way_again_that_has_done_harm) {
    ab_trial_rules lenient = rules;
    lenient.margin_equal = -50;
    lenient.memory = 4;
    for (const std::int32_t harm : {0, -300}) {
        lenient.gain_of_harm = harm;
        scene s(lenient);  // both ways do the same
        s.go_through_row();
        s.trial.abort_sample(s.now);
        int pairs = 0;
        for (; s.trial.slots(second) == 1 && pairs < 100; ++pairs) {
            s.go_through_row();
            s.go_through_row();
        }
        // Each comparison forgets a quarter of the rest of -0.3, down to -0.05: seven comparisons,
        // of which the first pair has one.
        EXPECT_EQ(pairs, harm == 0 ? 1 : 4);
    }
}

// If the cost of a sample is unknown, the cost of a step of the other way says nothing.
TEST(ab_trial, weighs_costs_only_if_both_are_known) {
    scene s;
    s.cost_ns[1] = 1;  // a way that costs almost nothing, beside a way whose clock stands still
    s.per_ms[1] = 950;
    EXPECT_TRUE(prefers(s, first));
}

// What could go wrong: a way does harm before it has had a whole sample, and the trial still
// remembers figures from before it began afresh.
TEST(ab_trial, begins_afresh_with_nothing_known) {
    ab_trial_rules lenient = rules;
    lenient.margin_equal = -50;
    lenient.memory = 4;
    scene s(lenient);
    s.per_ms[1] = 300;
    s.waiting[1] = 800;
    s.share_of_first(20);
    s.trial.begin_afresh(s.now);
    s.go_through_row();
    s.trial.abort_sample(s.now);
    s.per_ms[1] = 1000;
    s.waiting[1] = 0;
    s.go_through_row();
    s.go_through_row();
    EXPECT_GT(s.trial.slots(second), 1);
}

// What could go wrong: the ways do the same, and the trial keeps the way that takes twice the
// processors. Or it takes a way that does far less, but is cheap.
TEST(ab_trial, weighs_what_a_way_costs) {
    struct {
        std::uint64_t per_ms, cost_ns;  // of the second way; the first way's are 1000 and 1000
        bool is_better;
    } const all[] = {{1000, 800, true},   {1000, 1000, false}, {950, 800, true},
                     {1800, 1000, true},  {700, 800, false},   {1800, 2500, false},
                     {1000, 1200, false}, {1200, 1000, true},  {750, 500, false}};
    for (const auto& each : all) {
        scene s;
        s.per_ms[1] = each.per_ms;
        s.cost_ns[0] = 1000;
        s.cost_ns[1] = each.cost_ns;
        EXPECT_TRUE(prefers(s, each.is_better ? second : first))
            << each.per_ms << " for " << each.cost_ns;
    }
}

TEST(ab_trial, changes_its_mind_when_the_program_does) {
    scene s;
    s.per_ms[1] = 1500;
    EXPECT_LT(s.share_of_first(20), 30);
    s.per_ms[1] = 500;
    s.share_of_first(4);
    EXPECT_GT(s.share_of_first(20), 90);
    s.per_ms[1] = 1500;
    s.share_of_first(4);
    EXPECT_LT(s.share_of_first(20), 10);
}

TEST(ab_trial, is_not_led_astray_by_one_row_if_it_remembers_others) {
    ab_trial_rules patient = rules;
    patient.memory = 4;
    for (const bool remembers : {false, true}) {
        scene s(remembers ? patient : rules);
        s.per_ms[1] = 1500;
        s.share_of_first(20);
        while (s.trial.now_is() == second) s.go_through_row();
        s.per_ms[0] = 1600;  // by chance
        s.go_through_row();
        // Shorter, so that the trial soon knows whether it was chance.
        EXPECT_EQ(s.trial.slots(second), remembers ? rules.slots_max / rules.growth : 1);
        s.share_of_first(20);
        EXPECT_GT(s.share_of_first(20), 90);  // it was chance
    }
}

TEST(ab_trial, does_not_lean_to_either_way_where_rows_vary) {
    ab_trial_rules patient = rules;
    patient.memory = 4;
    scene s(patient);
    bool is_high = false;
    for (int i = 0; i < 100; ++i) {
        if (s.trial.now_is() == first) {
            is_high = !is_high;
            s.per_ms[0] = is_high ? 1200 : 800;
        }
        s.go_through_row();
        if (i > 10) {
            ASSERT_EQ(s.trial.slots(second), 1) << i;
        }
    }
}

TEST(ab_trial, remembers_what_is_known_of_a_way_that_is_cut_short) {
    ab_trial_rules patient = rules;
    patient.memory = 4;
    const auto middle_of_second = [](scene& s) {
        s.share_of_first(20);
        while (s.trial.now_is() == first) s.go_through_row();
        while (s.look() != sample_state::counts) {
        }
    };
    {
        scene s(patient);
        s.per_ms[1] = 1500;
        middle_of_second(s);
        s.trial.begin_first(s.now);
        s.per_ms[0] = 1600;  // by chance
        s.go_through_row();
        s.go_through_row();
        EXPECT_EQ(s.trial.slots(first), 1);
    }
    // Harm in a sample weighs as much as if the sample had been no better until then, and no more.
    for (const std::uint64_t per_ms : {500u, 1500u}) {
        scene s(patient);
        s.per_ms[1] = per_ms;
        middle_of_second(s);
        s.trial.abort_sample(s.now);
        // better by 0.46 of the average: by a quarter of that in the moving average
        s.per_ms[1] = 1600;
        s.go_through_row();
        s.go_through_row();
        EXPECT_EQ(s.trial.slots(second) > 1, per_ms == 1500);
    }
}

TEST(ab_trial, prefers_the_first_way_where_nothing_is_done) {
    scene s;
    s.per_ms[0] = s.per_ms[1] = 0;
    s.share_of_first(20);
    EXPECT_GT(s.share_of_first(20), 70);  // either sample has the overtime
}

TEST(ab_trial, knows_the_rate_of_what_has_counted) {
    // The second time the counter wraps meanwhile.
    for (const std::uint64_t then : {std::uint64_t{1} << 20, (std::uint64_t{1} << 32) - 350}) {
        scene s;
        s.done = then * 100;
        s.per_ms[0] = 700;
        while (s.look() != sample_state::is_over) {
        }
        EXPECT_NEAR(static_cast<double>(s.trial.per_s()), 700e3, 20e3);
    }
}

TEST(ab_trial, gives_a_row_of_few_steps_more_time_but_not_for_ever) {
    scene s;
    s.per_ms[0] = 50;  // a hundred steps in 2 ms
    s.per_ms[1] = 1;
    EXPECT_EQ(s.go_through_row(), 2);
    EXPECT_EQ(s.go_through_row(), 6);
}

TEST(ab_trial, says_nothing_of_a_row_of_which_little_has_counted) {
    scene s;
    s.now += 5 * rules.slot_ns;  // the trial has not looked for so long
    EXPECT_EQ(s.look(), sample_state::begins_to_count);
    const std::int64_t since = s.now;
    while (s.look() == sample_state::settles) {
    }
    EXPECT_EQ(s.now - since, rules.counted_ns_min);
}

TEST(ab_trial, turns_back_at_once_and_tries_the_second_way_again) {
    scene s;
    s.per_ms[1] = 1500;  // counts as bad: abort_sample below
    EXPECT_EQ(s.go_through_row(), 1);
    while (s.look() != sample_state::counts) {
    }
    s.trial.abort_sample(s.now);
    EXPECT_EQ(s.trial.now_is(), first);
    EXPECT_EQ(s.go_through_row(), 4);
    EXPECT_EQ(s.trial.now_is(), second);
    EXPECT_EQ(s.go_through_row(), 1);
    EXPECT_EQ(s.trial.slots(second), 4);  // this time the sample did no harm
}

TEST(ab_trial, forgets_a_row_that_is_cut_short_or_everything) {
    scene s;
    s.per_ms[1] = 1500;
    s.share_of_first(10);
    EXPECT_GT(s.trial.slots(second), 4);
    while (s.trial.now_is() == first) s.go_through_row();
    s.trial.begin_first(s.now);
    EXPECT_EQ(s.trial.now_is(), first);
    EXPECT_EQ(s.go_through_row(), 1);
    EXPECT_EQ(s.go_through_row(), 1);  // of which nothing was known: it cannot last for ever
    EXPECT_EQ(s.trial.slots(second), 4);
    while (s.trial.now_is() == second) s.go_through_row();
    s.trial.begin_first(s.now);  // in the first way's own sample
    const std::int32_t slots = s.trial.slots(second);
    s.go_through_row();
    EXPECT_EQ(s.trial.slots(second), slots);  // compared with nothing
    s.trial.begin_afresh(s.now);
    EXPECT_EQ(s.trial.now_is(), first);
    EXPECT_EQ(s.trial.slots(second), 1);
    EXPECT_EQ(s.trial.begun_at(), s.now);
}

}  // namespace
}  // namespace rota::rt
