// Checks when sysmon may look less often at goroutines left to one m (sched/policy/calm).
#include "sched/policy/calm.hpp"

#include <gtest/gtest.h>

namespace {

using rota::rt::calm_watch;

// Counts looks until it is calm, at most 10,000. Every `period`th look is unusual; 0: no look is.
int looks_until_calm(calm_watch& w, int period = 0) {
    int n = 0;
    while (!w.is_calm() && n < 10'000) {
        ++n;
        w.look(period != 0 && n % period == 0);
    }
    return n;
}

TEST(calm_watch, begins_without_knowing_and_learns_within_some_hundred_looks) {
    calm_watch w;
    EXPECT_FALSE(w.is_calm());
    const int n = looks_until_calm(w);
    EXPECT_GT(n, 50);
    EXPECT_LT(n, 200);
    for (int i = 0; i < 10'000; ++i) w.look(false);
    EXPECT_TRUE(w.is_calm());
}

TEST(calm_watch, one_incident_among_many_looks_is_no_unrest) {
    calm_watch w;
    (void)looks_until_calm(w);
    for (int i = 0; i < 1000; ++i) w.look(false);
    for (int i = 0; i < 2000; ++i) {
        w.look(i % 50 == 0);
        EXPECT_TRUE(w.is_calm()) << i;
    }
}

TEST(calm_watch, incidents_close_to_each_other_are) {
    calm_watch w;
    for (int i = 0; i < 1000; ++i) w.look(false);
    for (int i = 0; i < 4; ++i) w.look(true);
    EXPECT_FALSE(w.is_calm());
    // Incidents that come now and then for ever, at one look in ten, are unrest too.
    EXPECT_EQ(looks_until_calm(w, 10), 10'000);
}

TEST(calm_watch, harm_is_remembered_as_if_nothing_were_known) {
    calm_watch fresh, w;
    const int n = looks_until_calm(fresh);
    for (int i = 0; i < 1000; ++i) w.look(false);
    w.disturb();
    EXPECT_FALSE(w.is_calm());
    EXPECT_EQ(looks_until_calm(w), n);
    // A large number of incidents takes no longer to fade.
    for (int i = 0; i < 1000; ++i) w.look(true);
    EXPECT_LE(looks_until_calm(w), n + 1);
}

}  // namespace
