// Checks that no goroutine is left waiting when one m handles the network: prog/poll_alone.cpp.
#include <tuple>

#include "child.hpp"

using namespace rota_test;

namespace {

class poll_alone
    : public testing::TestWithParam<std::tuple<const char*, const char*, const char*>> {};

// Fails if a goroutine waits for ever because it is queued behind a goroutine that keeps its m
// busy. Fails if it waits for ever because its data reaches the kernel meanwhile. Fails if a timer
// waits for ever, or if the last m to become idle does not sleep in the poller. Fails if a byte is
// lost where the m reads for the waiting goroutines.
TEST_P(poll_alone, leaves_nobody_waiting) {
    const auto [name, procs, debug] = GetParam();
    const outcome o =
        run_program("poll_alone", {name}, {{"GOMAXPROCS", procs}, {"GODEBUG", debug}});
    EXPECT_TRUE(ended_with(o, 0)) << o;
    EXPECT_EQ(o.out, "done\n") << o;
}

// Without stops no m takes the p of a goroutine that computes: only another m helps.
INSTANTIATE_TEST_SUITE_P(
    , poll_alone,
    testing::Combine(testing::Values("computing", "call", "blocked", "timers", "steady", "resized",
                                     "rested", "streams", "exits"),
                     testing::Values("2", "4"),
                     testing::Values("pollalone=1", "pollalone=1,asyncpreemptoff=1",
                                     "pollalone=1,asymmetric=0")),
    [](const auto& at) {
        const std::string debug = std::get<2>(at.param);
        const std::string with = debug.ends_with("off=1")          ? "_no_stops"
                                 : debug.ends_with("asymmetric=0") ? "_fences"
                                                                   : "";
        return std::string(std::get<0>(at.param)) + "_at_" + std::get<1>(at.param) + with;
    });

}  // namespace
