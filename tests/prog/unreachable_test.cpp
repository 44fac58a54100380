// Tests goroutines that can never run again: the search and the profile find each of the usual
// leaks. In the same program without the leak they name no goroutine that runs later.

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "child.hpp"

using namespace rota_test;

namespace {

struct leaky {
    const char* name;
    std::vector<const char*> found;  // names of goroutines, sorted
};

const std::vector<leaky> programs = {
    {"sender", {"sender", "sender"}},
    {"close", {"consumer", "consumer"}},
    {"answer", {"late"}},
    {"nil", {"server"}},
    {"lock", {"owner", "worker", "worker"}},
    {"words", {"consumer"}},
};

class unreachable_in_program : public testing::TestWithParam<std::tuple<std::size_t, const char*>> {
  protected:
    static const leaky& program() { return programs[std::get<0>(GetParam())]; }
    static outcome run(std::vector<std::string> arguments) {
        return run_program("unreachable", std::move(arguments),
                           {{"GOMAXPROCS", std::get<1>(GetParam())}});
    }
};

}  // namespace

TEST_P(unreachable_in_program, the_leak_is_found) {
    // Fails if a goroutine that is left behind is not named: an old word in memory may look like a
    // pointer to the object of its wait. Fails if the profile counts a further goroutine.
    const bool by_nature = program().name == std::string_view("nil");  // needs no proof
    if (!by_nature && !plain_build)
        GTEST_SKIP() << "sanitizers keep frames elsewhere: nothing is proven";
    const outcome o = run({program().name});
    std::string wanted;
    for (const char* const name : program().found) wanted += "found " + std::string(name) + "\n";
    wanted += "goroutineleak profile: total " + std::to_string(program().found.size()) + "\n";
    EXPECT_EQ(o.status, 0) << o;
    EXPECT_EQ(o.out, wanted) << o;
}

TEST_P(unreachable_in_program, nobody_is_named_where_there_is_no_leak) {
    // Fails if a goroutine is named that continues afterwards.
    const outcome o = run({program().name, "kept"});
    EXPECT_EQ(o.status, 0) << o;
    EXPECT_EQ(o.out, "goroutineleak profile: total 0\nall have ended\n") << o;
}

INSTANTIATE_TEST_SUITE_P(of, unreachable_in_program,
                         testing::Combine(testing::Range(std::size_t{0}, programs.size()),
                                          testing::Values("1", "2", "4", "16")),
                         [](const auto& at) {
                             return std::string(programs[std::get<0>(at.param)].name) + "_at_" +
                                    std::get<1>(at.param);
                         });
