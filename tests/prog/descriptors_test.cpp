// A program without standard descriptors: what it opens must not take their numbers.
#include "child.hpp"

using namespace rota_test;

namespace {

class descriptors : public testing::TestWithParam<const char*> {
  protected:
    // The cases end with the line that failed, plus 100: they may have no output.
    testing::AssertionResult holds(const char* name) {
        return went_well(run_program("descriptors", {name}, {{"GODEBUG", GetParam()}}));
    }
};

}  // namespace

TEST_P(descriptors, missing_at_the_start_are_dev_null) {
    // A socket that becomes number 1 gets what printf writes; a file that becomes number 2 gets the
    // report of a crash.
    EXPECT_TRUE(holds("missing"));
}

TEST_P(descriptors, missing_are_dev_null_also_without_run) {
    EXPECT_TRUE(holds("missing_for_a_thread"));
}

TEST_P(descriptors, one_that_is_there_stays_what_it_is) { EXPECT_TRUE(holds("output_missing")); }

TEST_P(descriptors, closed_later_stay_closed_and_nothing_takes_their_numbers) {
    // A daemon closes its own: the next socket would be its standard output.
    EXPECT_TRUE(holds("closed_later"));
    EXPECT_TRUE(holds("closed_later_with_reports"));
}

TEST_P(descriptors, no_number_from_3_on_is_an_error) {
    if (under_asan)
        GTEST_SKIP() << "UndefinedBehaviorSanitizer looks at memory through pipes of its own";
    EXPECT_TRUE(holds("no_number_left"));
}

INSTANTIATE_TEST_SUITE_P(by, descriptors, testing::Values("", "netpoll=uring"),
                         [](const testing::TestParamInfo<const char*>& info) {
                             return std::string(info.index == 0 ? "epoll" : "io_uring");
                         });
