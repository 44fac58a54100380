// Checks when sysmon may look less often at goroutines left to one m (sched/policy/incident_rate).
#include "sched/policy/incident_rate.hpp"

#include <gtest/gtest.h>

namespace {

using rota::rt::incident_rate;

// Counts looks until the rate is low, at most 10,000. Every `period`th look is unusual; 0: no look
// is.
int looks_until_low(incident_rate& w, int period = 0) {
    int n = 0;
    while (!w.is_low() && n < 10'000) {
        ++n;
        w.count_look(period != 0 && n % period == 0);
    }
    return n;
}

TEST(incident_rate, begins_without_knowing_and_learns_within_some_hundred_looks) {
    incident_rate w;
    EXPECT_FALSE(w.is_low());
    const int n = looks_until_low(w);
    EXPECT_GT(n, 50);
    EXPECT_LT(n, 200);
    for (int i = 0; i < 10'000; ++i) w.count_look(false);
    EXPECT_TRUE(w.is_low());
}

TEST(incident_rate, one_incident_among_many_looks_is_no_unrest) {
    incident_rate w;
    (void)looks_until_low(w);
    for (int i = 0; i < 1000; ++i) w.count_look(false);
    for (int i = 0; i < 2000; ++i) {
        w.count_look(i % 50 == 0);
        EXPECT_TRUE(w.is_low()) << i;
    }
}

TEST(incident_rate, incidents_close_to_each_other_are) {
    incident_rate w;
    for (int i = 0; i < 1000; ++i) w.count_look(false);
    for (int i = 0; i < 4; ++i) w.count_look(true);
    EXPECT_FALSE(w.is_low());
    // Incidents that come now and then for ever, at one look in ten, are unrest too.
    EXPECT_EQ(looks_until_low(w, 10), 10'000);
}

TEST(incident_rate, harm_is_remembered_as_if_nothing_were_known) {
    incident_rate fresh, w;
    const int n = looks_until_low(fresh);
    for (int i = 0; i < 1000; ++i) w.count_look(false);
    w.set_high();
    EXPECT_FALSE(w.is_low());
    EXPECT_EQ(looks_until_low(w), n);
    // A large number of incidents takes no longer to fade.
    for (int i = 0; i < 1000; ++i) w.count_look(true);
    EXPECT_LE(looks_until_low(w), n + 1);
}

}  // namespace
