// Nobody is left waiting by leaving what the network brings to one m: prog/poll_alone.cpp.
#include <tuple>

#include "child.hpp"

using namespace rota_test;

namespace {

class poll_alone
    : public testing::TestWithParam<std::tuple<const char*, const char*, const char*>> {};

// Who has been queued behind one that keeps its m, or comes into the kernel meanwhile, waits for
// ever; a timer does; or the last m to become idle does not sleep in the poller. And where one m
// reads for all that wait, a byte is lost.
TEST_P(poll_alone, leaves_nobody_waiting) {
    const auto [name, procs, debug] = GetParam();
    const outcome o =
        run_program("poll_alone", {name}, {{"GOMAXPROCS", procs}, {"GODEBUG", debug}});
    EXPECT_TRUE(ended_with(o, 0)) << o;
    EXPECT_EQ(o.out, "done\n") << o;
}

// Without stops a p is not taken from who computes: only another m helps.
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
