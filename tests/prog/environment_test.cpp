// Settings from the environment, and what the runtime does before main.
#include <sstream>

#include <sched.h>

#include "child.hpp"

using namespace rota_test;

namespace {

outcome work(const environment& env) { return run_program("environment", {"work"}, env); }

// What a bad value must give: one line that names the variable, the value and what is accepted,
// and the program's own work.
testing::AssertionResult complained(const outcome& o, const std::string& variable,
                                    const std::string& value, const std::string& accepted) {
    const bool ran = !o.timed_out && o.status == 0 && o.out.find("sum=5050\n") != std::string::npos;
    const std::string line = o.first_line();
    const auto names = [&line](const std::string& text) {
        return line.find(text) != std::string::npos;
    };
    if (ran && names(variable) && names(value) && names(accepted) && o.err == line + "\n")
        return testing::AssertionSuccess();
    return testing::AssertionFailure() << "expected one line with " << variable << ", " << value
                                       << " and \"" << accepted << "\" from " << o;
}

}  // namespace

TEST(gomaxprocs, is_what_the_environment_says) {
    // The number is read wrongly, or not at all.
    for (const char* n : {"1", "2", "3", "16", "100"}) {
        const outcome o = work({{"GOMAXPROCS", n}});
        EXPECT_TRUE(went_well(o));
        EXPECT_EQ(o.out, "gomaxprocs=" + std::string(n) + " sum=5050\n");
    }
}

TEST(gomaxprocs, is_the_number_of_processors_without_it) {
    // An empty variable is no bad value, and the mask of taskset counts, not the machine.
    cpu_set_t before, one;
    ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
    EXPECT_EQ(work({{"GOMAXPROCS", ""}}).out,
              "gomaxprocs=" + std::to_string(CPU_COUNT(&before)) + " sum=5050\n");
    CPU_ZERO(&one);
    for (std::size_t i = 0; CPU_COUNT(&one) == 0; ++i) {
        if (CPU_ISSET(i, &before)) CPU_SET(i, &one);
    }
    ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
    const outcome o = work({});
    ASSERT_EQ(::sched_setaffinity(0, sizeof before, &before), 0);
    EXPECT_TRUE(went_well(o));
    EXPECT_EQ(o.out, "gomaxprocs=1 sum=5050\n");
}

TEST(gomaxprocs, bad_values_are_reported_and_the_default_used) {
    // A typing error stops the program, or passes unnoticed.
    for (const char* bad : {"abc", "0", "-1", "99999999999", "4x", " 4", "+4", "1e3", "0x4", "2.5"})
        EXPECT_TRUE(complained(work({{"GOMAXPROCS", bad}}), "GOMAXPROCS", bad, "1 to"));
}

TEST(gomaxprocs, beyond_what_is_served_is_reported) {
    // More processors than the runtime has records for: it takes fewer, and says so.
    const outcome o = work({{"GOMAXPROCS", "5000"}});
    EXPECT_TRUE(complained(o, "GOMAXPROCS", "5000", "1024"));
}

TEST(godebug, bad_entries_are_reported_and_the_rest_obeyed) {
    // One bad entry spoils the others, stops the program, or passes unnoticed.
    for (const char* bad : {"schedtrace=abc", "schedtrace=-5", "schedtrace=", "schedtrace",
                            "chaos=", "chaos=yes", "chaos=-1", "chaos=2147483648", "chaos=1.5"})
        EXPECT_TRUE(complained(work({{"GODEBUG", bad}}), "GODEBUG", "", "")) << bad;
    const outcome o = work({{"GODEBUG", "nonsense,schedtrace=x"}});
    EXPECT_TRUE(ended_with(o, 0));
    EXPECT_TRUE(o.says("nonsense") && o.says("\"x\"")) << o;
}

TEST(godebug, keys_of_newer_programs_are_left_alone) {
    // Go ignores keys that it does not know: a complaint here would break scripts.
    EXPECT_TRUE(went_well(work({{"GODEBUG", "http2client=0,,asynctimerchan=1"}})));
    EXPECT_TRUE(went_well(work({{"GODEBUG", "schedtrace=0,chaos=0"}})));
    EXPECT_TRUE(went_well(work({{"GODEBUG", "chaos=2147483647"}})));
}

TEST(godebug, schedtrace_prints_go_s_line) {
    // Tools that read Go's line fail on ours: another layout, another period, other counts of
    // processors.
    const outcome o = run_program("environment", {"for_a_while"},
                                  {{"GOMAXPROCS", "3"}, {"GODEBUG", "schedtrace=50"}});
    ASSERT_TRUE(ended_with(o, 0));
    const std::string layout =
        "^SCHED ([0-9]+)ms: gomaxprocs=3 idleprocs=[0-3] threads=[0-9]+ spinningthreads=[0-9]+ "
        "needspinning=[01] idlethreads=[0-9]+ runqueue=[0-9]+ \\[ (?:[0-9]+ ){3}\\] "
        "schedticks=\\[ (?:[0-9]+ ){3}\\]$";
    std::istringstream lines(o.err);
    std::string line;
    std::vector<long> at_ms;
    while (std::getline(lines, line)) {
        const std::string ms = first_group(line, layout);
        ASSERT_FALSE(ms.empty()) << line;
        at_ms.push_back(std::stol(ms));
    }
    ASSERT_GE(at_ms.size(), 2U) << o;
    EXPECT_LE(at_ms.size(), 14U) << o;
    EXPECT_EQ(at_ms.front(), 0) << o;
    for (std::size_t i = 1; i < at_ms.size(); ++i) EXPECT_GE(at_ms[i] - at_ms[i - 1], 45) << o;
}

TEST(static_constructors, may_use_the_runtime_before_run) {
    // The runtime boots itself on first use, whatever has been constructed by then; what was begun
    // before main must go on inside run().
    for (const char* procs : {"1", "2", "4"}) {
        for (const char* name : {"in_main", "without_run"}) {
            const outcome o = run_program("early", {name}, {{"GOMAXPROCS", procs}});
            EXPECT_TRUE(went_well(o));
            EXPECT_EQ(o.out, "made by a static constructor\n") << o;
        }
    }
}
