// Tests of deadlocks that lead through channels: prog/wait_circles.cpp makes them.
//
// Fails if the search misses a circle, or names goroutines outside of it. Fails if it reports
// goroutines that only wait for the same channel, or that a goroutine outside can still reach.
#include "child.hpp"

using namespace rota_test;

namespace {

class circles_of_waits : public testing::TestWithParam<const char*> {
  protected:
    static outcome with_procs(const char* what) {
        return run_program("wait_circles", {what}, {{"GOMAXPROCS", GetParam()}});
    }
    void SetUp() override {
        if (!plain_build)
            GTEST_SKIP() << sanitizer_name << " keeps frames where the search does not look";
    }
};

}  // namespace

TEST_P(circles_of_waits, of_channels_are_found) {
    EXPECT_TRUE(went_well(with_procs("of_channels_are_found")));
}

TEST_P(circles_of_waits, are_found_again) { EXPECT_TRUE(went_well(with_procs("are_found_again"))); }

TEST_P(circles_of_waits, of_channels_and_locks_are_found) {
    EXPECT_TRUE(went_well(with_procs("of_channels_and_locks_are_found")));
}

TEST_P(circles_of_waits, that_are_none_are_not_reported) {
    EXPECT_TRUE(went_well(with_procs("that_are_none_are_not")));
}

INSTANTIATE_TEST_SUITE_P(procs, circles_of_waits, testing::Values("1", "4"));

TEST_P(circles_of_waits, are_reported_by_a_program_that_goes_on) {
    // Fails if GODEBUG=deadlock=1 knows only locks, reports the same again and again, or stops the
    // program.
    child c(program("wait_circles", {"are_left_alone"}),
            {{"GODEBUG", "deadlock=1"}, {"GOMAXPROCS", GetParam()}});
    EXPECT_TRUE(c.complains("rota: deadlock: goroutines wait for each other, in a circle\n", 2));
    EXPECT_TRUE(c.complains("goroutine ", 4));  // the stacks of the four goroutines
    const outcome o = c.kill_and_finish();
    EXPECT_EQ(o.lines_with("rota: deadlock: "), 2) << o;
    const auto waits = [](const char* object, const char* next) {
        return "\tgoroutine [0-9]+ waits for the " + std::string(object) +
               " 0x[0-9a-f]+, which goroutine [0-9]+ has" + next + "\n";
    };
    EXPECT_TRUE(matches(o.err, waits("channel", "") + waits("channel", ""))) << o;
    EXPECT_TRUE(matches(o.err, waits("channel", "") + waits("mutex", " locked")) ||
                matches(o.err, waits("mutex", " locked") + waits("channel", "")))
        << o;
    EXPECT_TRUE(o.says("passes_on")) << o;
    EXPECT_TRUE(o.says("answers_with_the_lock")) << o;
}

TEST_P(circles_of_waits, hide_no_deadlock_of_all) {
    // Fails if the searching thread counts as a thread that may wake a goroutine: the program
    // hangs.
    const outcome o = run_program("wait_circles", {"are_left_by_all"},
                                  {{"GODEBUG", "deadlock=1"}, {"GOMAXPROCS", GetParam()}});
    EXPECT_FALSE(o.timed_out) << o;
    EXPECT_EQ(o.status, 2) << o;
    EXPECT_TRUE(o.says("fatal error: all goroutines are asleep - deadlock!\n")) << o;
}
