// Tests of deadlocks among goroutines of a program that otherwise continues: prog/lock_circles.cpp.
//
// Fails if the detector misses a circle, or reports a wrong order or wrong locks. Fails if it
// reports an impossible circle: from records of different moments, with an owner that has unlocked,
// or with a goroutine that only waits behind a circle.
#include "child.hpp"

using namespace rota_test;

namespace {

class circles_of_locks : public testing::TestWithParam<const char*> {
  protected:
    static outcome with_procs(const char* what) {
        return run_program("lock_circles", {what}, {{"GOMAXPROCS", GetParam()}});
    }
};

}  // namespace

TEST_P(circles_of_locks, are_found_with_their_order_and_their_locks) {
    EXPECT_TRUE(went_well(with_procs("are_found")));
}

TEST_P(circles_of_locks, of_one_goroutine_are_found) {
    EXPECT_TRUE(went_well(with_procs("of_one_are_found")));
}

TEST_P(circles_of_locks, of_first_locks_are_found) {
    // Fails if a mutex that was never locked before has no recorded owner, wherever it lies and
    // whenever it was made.
    EXPECT_TRUE(went_well(with_procs("first_locks_are_noted_from_run_on")));
    EXPECT_TRUE(went_well(run_program("lock_circles", {"first_locks_are_noted"},
                                      {{"GODEBUG", "deadlock=1"}, {"GOMAXPROCS", GetParam()}})));
}

TEST_P(circles_of_locks, of_threads_are_found) {
    EXPECT_TRUE(went_well(with_procs("of_threads_are_found")));
}

TEST_P(circles_of_locks, through_threads_that_are_gone_are_none) {
    EXPECT_TRUE(went_well(with_procs("of_threads_that_are_gone_are_none")));
}

TEST_P(circles_of_locks, that_are_none_are_not_reported) {
    EXPECT_TRUE(went_well(with_procs("that_are_none_are_not")));
}

TEST_P(circles_of_locks, are_never_seen_in_traffic_that_flows) {
    EXPECT_TRUE(went_well(with_procs("are_none_in_traffic")));
}

INSTANTIATE_TEST_SUITE_P(procs, circles_of_locks, testing::Values("1", "4"));

TEST(godebug_deadlock, reports_a_circle_once_and_the_program_goes_on) {
    // Fails if no report appears, if it appears again and again, or if the program stops.
    const outcome o = run_program("lock_circles", {"are_left_alone"}, {{"GODEBUG", "deadlock=1"}});
    ASSERT_TRUE(ended_with(o, 0));
    EXPECT_EQ(o.lines_with("rota: deadlock: goroutines wait for each other's locks"), 1) << o;
    EXPECT_EQ(o.lines_with("\tgoroutine "), 2) << o;
    EXPECT_EQ(o.lines_with("goroutine "), 2) << o;
    EXPECT_TRUE(o.says(" [sync.Mutex.Lock]:\n")) << o;
    EXPECT_TRUE(o.says("takes_the_next")) << o;
    EXPECT_NE(o.out.find("main goes on"), std::string::npos) << o;
}

TEST(godebug_deadlock, tells_threads_by_their_numbers) {
    // Fails if a thread appears as goroutine 0, or with the number of another thread.
    const outcome o =
        run_program("lock_circles", {"are_left_to_threads"}, {{"GODEBUG", "deadlock=1"}});
    ASSERT_TRUE(ended_with(o, 0));
    const std::string said = "its number is ";
    const std::size_t at = o.err.find(said);
    ASSERT_NE(at, std::string::npos) << o;
    const std::string number =
        o.err.substr(at + said.size(), o.err.find('\n', at) - at - said.size());
    EXPECT_EQ(o.lines_with("\tthread " + number + " waits for the mutex 0x"), 1) << o;
    EXPECT_TRUE(o.says(", which thread " + number + " has locked\n")) << o;
    EXPECT_EQ(o.lines_with("\tgoroutine "), 1) << o;
    EXPECT_EQ(o.lines_with("goroutine "), 1) << o;  // the same goroutine's stack
}

TEST(godebug_deadlock, says_nothing_of_what_is_over_before_the_second_look) {
    // On a busy machine a circle may last until the second check, which then rightly reports it. So
    // only a run in which every circle was short counts.
    outcome o;
    for (int tries = 10; tries > 0; --tries) {
        o = run_program("lock_circles", {"are_short"}, {{"GODEBUG", "deadlock=1"}});
        if (went_well(o)) return;
        if (o.out.find("a circle was long") == std::string::npos) break;
    }
    EXPECT_TRUE(went_well(o));
}
