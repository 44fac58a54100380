// Deadlocks that lead through channels: prog/wait_circles.cpp makes them.
//
// What could go wrong: a circle is not found, or with others than stand in it; or goroutines are
// called one that only wait for the same, or that somebody outside can still reach.
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

TEST_P(circles_of_waits, of_channels_and_locks_are_found) {
    EXPECT_TRUE(went_well(with_procs("of_channels_and_locks_are_found")));
}

TEST_P(circles_of_waits, that_are_none_are_not_reported) {
    EXPECT_TRUE(went_well(with_procs("that_are_none_are_not")));
}

INSTANTIATE_TEST_SUITE_P(procs, circles_of_waits, testing::Values("1", "4"));
