// Checks that operations which need no heap do not allocate: a select of up to eight cases, passing
// a value, waiting for one, locks, sleeps, goroutines. Channels and timers come from the lists of a
// p. A goroutine that continues on another p may find its list empty, so a few of them may be
// allocated.
#include <map>
#include <sstream>

#include "child.hpp"

using namespace rota_test;

namespace {

class allocations : public testing::TestWithParam<const char*> {};

}  // namespace

TEST_P(allocations, are_made_by_what_must_make_them_only) {
    const outcome o = run_program("allocations", {}, {{"GOMAXPROCS", GetParam()}});
    ASSERT_TRUE(went_well(o));
    std::map<std::string, long> of;
    std::istringstream lines(o.out);
    std::string what;
    for (long n = 0; lines >> what >> n;) of[what] = n;
    for (const char* none :
         {"select_of_eight_that_waits", "select_that_is_ready", "select_with_default",
          "send_and_recv", "wait_with_a_limit", "lock_that_waits", "sleep", "go"}) {
        ASSERT_TRUE(of.contains(none)) << o;
        EXPECT_EQ(of[none], 0) << none << ": " << o;
    }
    for (const char* few : {"make_and_drop_a_channel", "make_stop_and_drop_a_timer"}) {
        ASSERT_TRUE(of.contains(few)) << o;
        // Under AddressSanitizer no list keeps returned objects.
        if (plain_build) {
            EXPECT_LE(of[few], 50) << few << ": " << o;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(at, allocations, testing::Values("1", "2", "4", "16"),
                         [](const auto& of) { return std::string("procs_") + of.param; });
