// Tests GODEBUG=stackdepth=1 from outside.
#include <optional>
#include <sstream>

#include "child.hpp"

using namespace rota_test;

namespace {

struct depth_line {
    std::string function, created_by;
    long goroutines = 0, deepest_kib = 0, stack_kib = 0;
};

// The line of the goroutines that the function `creator` has created.
std::optional<depth_line> line_of(const outcome& o, const std::string& creator) {
    std::istringstream lines(o.out);
    for (std::string line; std::getline(lines, line);) {
        std::string part[5];
        std::size_t at = 0;
        for (std::string& p : part) {
            const std::size_t end = line.find(" | ", at);
            p = line.substr(at, end - at);
            at = end == line.npos ? line.size() : end + 3;
        }
        if (part[1].find("::" + creator + "(") == line.npos) continue;
        return depth_line{part[0], part[1], std::stol(part[2]), std::stol(part[3]),
                          std::stol(part[4])};
    }
    return {};
}

outcome run_depths(const char* name, const char* setting, const char* procs) {
    return run_program("stack_depths", {name}, {{"GODEBUG", setting}, {"GOMAXPROCS", procs}});
}

// Frames of sanitizers are larger.
constexpr long more_kib = plain_build ? 16 : 64;

}  // namespace

TEST(stack_depths, are_those_of_each_place_that_makes_goroutines) {
    // Fails if a goroutine on the former stack of a deeper goroutine shows that goroutine's depth,
    // or if ended goroutines are not counted.
    for (const char* procs : {"1", "4"}) {
        const outcome o = run_depths("all", "stackdepth=1", procs);
        ASSERT_TRUE(went_well(o));
        const auto deep = line_of(o, "deep"), shallow = line_of(o, "shallow"),
                   large = line_of(o, "deep_in_large_stacks"), living = line_of(o, "all");
        ASSERT_TRUE(deep && shallow && large && living) << o;
        EXPECT_EQ(deep->goroutines, 5) << o;
        EXPECT_EQ(shallow->goroutines, 50) << o;
        EXPECT_EQ(large->goroutines, 1) << o;
        EXPECT_EQ(living->goroutines, 1) << o;
        for (const auto& [line, kib] :
             {std::pair{*deep, 100L}, {*shallow, 4L}, {*large, 600L}, {*living, 40L}}) {
            EXPECT_GE(line.deepest_kib, kib) << line.created_by << o;
            EXPECT_LE(line.deepest_kib, kib + more_kib) << line.created_by << o;
        }
        EXPECT_EQ(deep->stack_kib, 256) << o;
        EXPECT_EQ(large->stack_kib, 1024) << o;
        EXPECT_NE(deep->function.find("deep()::"), std::string::npos) << o;
    }
}

TEST(stack_depths, without_the_setting_are_those_of_living_goroutines) {
    // Fails if every program pays for the work of the setting, or if living goroutines are missing
    // without it.
    const outcome o = run_depths("all", "", "2");
    ASSERT_TRUE(went_well(o));
    EXPECT_FALSE(line_of(o, "deep")) << o;
    const auto living = line_of(o, "all");
    ASSERT_TRUE(living) << o;
    EXPECT_GE(living->deepest_kib, 40) << o;
}

TEST(stack_depths, are_a_page) {
    // Fails if the page is missing, or does not say which goroutines it counts.
    const outcome o = run_depths("page", "stackdepth=1", "2");
    ASSERT_TRUE(went_well(o));
    EXPECT_NE(o.out.find("# goroutines that live or have ended"), std::string::npos) << o;
    EXPECT_TRUE(matches(o.out, "1[0-9][0-9] KiB +256 KiB +5  .*deep.*, made by .*::deep\\(")) << o;
}
