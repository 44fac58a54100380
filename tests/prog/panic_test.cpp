// Tests, from outside, the end of a program by an uncaught exception.

#include "child.hpp"

using namespace rota_test;

namespace {

outcome run_panic(const char* name, const environment& env = {}) {
    return run_program("panic", {name}, env);
}

// Expects the first line, an empty line, and the goroutine that panicked, in state running.
testing::AssertionResult panicked(const outcome& o, const std::string& line) {
    const testing::AssertionResult begun = reported(o, line);
    if (!begun) return begun;
    const std::string rest = o.err.substr(line.size());
    if (matches(rest, "^\n\ngoroutine [0-9]+ \\[running\\]:\n")) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "expected the running goroutine next in " << o;
}

class panic_text : public testing::TestWithParam<std::pair<const char*, const char*>> {};

}  // namespace

TEST_P(panic_text, is_what_go_programmers_expect) {
    // Fails if the report names the wrong exception, if stderr begins with another text, or if the
    // status is not 2 (terminate() ends by a signal).
    EXPECT_TRUE(panicked(run_panic(GetParam().first), GetParam().second));
}

INSTANTIATE_TEST_SUITE_P(
    of, panic_text,
    testing::Values(std::pair{"panic_error", "panic: something broke"},
                    std::pair{"runtime_error", "panic: std::runtime_error: boom"},
                    std::pair{"no_text", "panic: std::runtime_error"},
                    std::pair{"int", "panic: int: 42"},
                    std::pair{"text", "panic: char const*: a literal"},
                    std::pair{"custom", "panic: custom_error"},
                    std::pair{"closed_channel", "panic: close of closed channel"},
                    std::pair{"rethrown", "panic: std::runtime_error: first"},
                    std::pair{"nested", "panic: second"},
                    std::pair{"main_in_long_sleep", "panic: late"},
                    std::pair{"main_in_blocking", "panic: elsewhere"}),
    [](const auto& info) { return std::string(info.param.first); });

TEST(panic, prints_the_text_of_a_thrown_string) {
    // The name of std::string differs between C++ libraries; its text must appear all the same.
    const outcome o = run_panic("string");
    EXPECT_TRUE(ended_with(o, 2));
    EXPECT_TRUE(matches(o.first_line(), "^panic: std::.*: a string$")) << o;
}

TEST(panic, prints_a_long_text_whole) {
    // Fails if a fixed buffer cuts the text: less than 100,000 characters arrive, or no trace
    // follows.
    const outcome o = run_panic("long_text");
    EXPECT_TRUE(panicked(o, "panic: " + std::string(100'000, 'x')));
}

TEST(panic, prints_a_text_of_several_lines) {
    // Fails if the second line of the text is missing.
    const outcome o = run_panic("two_lines");
    EXPECT_TRUE(reported(o, "panic: one"));
    EXPECT_EQ(o.err.rfind("panic: one\ntwo\n", 0), 0U) << o;
}

TEST(panic, shows_the_stack_of_the_throw) {
    // Fails if the stack is unwound before the report: the library function that threw is then
    // missing.
    const outcome o = run_panic("from_library");
    EXPECT_TRUE(ended_with(o, 2));
    EXPECT_EQ(o.first_line().rfind("panic: std::runtime_error: locale::", 0), 0U) << o;
    EXPECT_TRUE(o.says("\nstd::locale::locale(char const*)\n\t")) << o;
    EXPECT_TRUE(matches(o.err, "\n\t[^\n]+ \\+0x[0-9a-f]+\n")) << o;
    EXPECT_FALSE(o.says("rota::rt::")) << "frames of the runtime in " << o;
}

TEST(panic, names_functions_and_lines_of_the_program) {
    // Fails if names come only from the dynamic symbol table, or if lines are those of the next
    // statement. The trace must show four calls, innermost first.
    const outcome o = run_panic("named_functions");
    EXPECT_TRUE(panicked(o, "panic: std::runtime_error: boom"));
    EXPECT_EQ(o.lines_with("function_that_throws(int)"), 4) << o;
    const std::string frame =
        "\nfunction_that_throws[^\n]*\n\t[^\n]*panic.cpp:([0-9]+) \\+0x[0-9a-f]+";
    std::vector<int> lines;
    for (const std::string& line : first_groups(o.err, frame)) lines.push_back(std::stoi(line));
    ASSERT_EQ(lines.size(), 4U) << o;
    const int throws = lines[0], calls = throws + 1;
    EXPECT_EQ(lines, (std::vector<int>{throws, calls, calls, calls})) << o;
}

TEST(panic, opens_its_trace_where_the_program_threw) {
    // Fails if frames of the runtime and of the C++ library stand before the place of the throw.
    const outcome o = run_panic("runtime_error");
    EXPECT_FALSE(o.says("__cxa_throw") || o.says("_Unwind_RaiseException")) << o;
}

TEST(panic, comes_before_anything_is_unwound) {
    // Fails if destructors run although the process ends: one of them writes to stdout.
    const outcome o = run_panic("through_destructors");
    EXPECT_TRUE(panicked(o, "panic: std::runtime_error: boom"));
    EXPECT_EQ(o.out, "");
}

TEST(panic, that_nobody_reads_keeps_the_exit_status) {
    // Fails if the report's own write raises SIGPIPE, which then ends the process.
    const outcome o = run_panic("broken_stderr");
    EXPECT_TRUE(ended_with(o, 2));
}

TEST(panic, names_goroutine_and_creator) {
    // Fails if the trace does not tell which goroutine it was, or which goroutine created it.
    const outcome o = run_panic("runtime_error");
    EXPECT_TRUE(matches(o.err, "\n\ngoroutine [0-9]+ \\[running\\]:\n")) << o;
    EXPECT_TRUE(matches(o.err, "\ncreated by .* in goroutine 1\n\t")) << o;
#if defined(__OPTIMIZE__)  // else a function of rota calls the runtime
    EXPECT_TRUE(matches(o.err, "\ncreated by .* in goroutine 1\n\t[^\n]*/tests/prog/")) << o;
#endif
    EXPECT_TRUE(run_panic("named_goroutine").says("# name: the culprit\n"));
}

TEST(panic, of_main_s_own_function_is_for_the_caller_of_run) {
    // run() must rethrow it; a report would end the program.
    const outcome o = run_panic("left_by_run");
    EXPECT_TRUE(went_well(o));
    EXPECT_EQ(o.out, "for the caller\n");
}

TEST(panic, of_main_s_own_function_is_reported_if_nobody_catches_it) {
    // Fails if the C++ library ends the process, with only the type and the text.
    const outcome o = run_panic("left_by_run_and_main", {{"GOTRACEBACK", "all"}});
    EXPECT_TRUE(ended_with(o, 2));
    EXPECT_TRUE(matches(o.err, "^panic: std::runtime_error: for nobody\n"
                               "\tit has left rota::run, and nobody caught it\n\ngoroutine "))
        << o;
    EXPECT_EQ(o.lines_with("panic: "), 1) << o;
    EXPECT_TRUE(o.says("left_by_run_and_main")) << "the caller of run is not in " << o;
    EXPECT_TRUE(o.says(" [sleep")) << "another goroutine is not in " << o;
}

TEST(panic, of_main_outside_of_run_is_the_program_s) {
    const outcome o = run_panic("left_by_main_alone");
    EXPECT_EQ(o.signal, SIGABRT) << o;
    EXPECT_FALSE(o.says("panic: ")) << o;
}

TEST(panic, comes_when_a_future_with_an_exception_is_dropped) {
    // Fails if the exception is lost with the future: the child hangs or ends well.
    for (const char* name : {"dropped_future", "dropped_later"}) {
        const outcome o = run_panic(name);
        EXPECT_TRUE(reported(o, "panic: std::runtime_error: nobody asks"));
        EXPECT_EQ(o.lines_with("panic: "), 1) << o;
    }
    // Fails about every second time if only the goroutine reports, because the end of main
    // overtakes it.
    for (int i = 0; i < 10; ++i) {
        const outcome o = run_panic("dropped_by_main");
        ASSERT_TRUE(reported(o, "panic: std::runtime_error: nobody asks")) << i;
    }
}

TEST(panic, does_not_come_when_the_future_is_asked) {
    // Fails if the exception is reported although get() has delivered it.
    EXPECT_TRUE(went_well(run_panic("taken_future")));
}

TEST(panic, of_two_goroutines_at_once_is_reported_once) {
    // Fails if two reports mix, if the process ends before the first is written, or if each waits
    // for the other. Over 100 rounds: exactly one first line, one goroutine and status 2.
    for (int round = 0; round < (plain_build ? 100 : 20); ++round) {
        const outcome o = run_panic("both_at_once", {{"GOMAXPROCS", "2"}});
        ASSERT_TRUE(panicked(o, "panic: one of two"));
        ASSERT_EQ(o.lines_with("panic: "), 1) << o;
        ASSERT_EQ(o.lines_with("goroutine "), 1) << o;
        ASSERT_EQ(o.lines_with("created by "), 1) << o;
    }
}

TEST(panic, of_one_whose_processor_was_taken_shows_it_running) {
    // Fails if the report shows it in a system call, although it did not announce a call.
    const outcome o = run_panic("after_raw_sleep", {{"GOMAXPROCS", "1"}});
    EXPECT_TRUE(panicked(o, "panic: std::runtime_error: boom"));
    EXPECT_TRUE(o.says(" [running]:\n")) << o;
}

TEST(gotraceback, none_prints_the_text_only) {
    // Fails if the runtime ignores the variable: traces follow the text.
    EXPECT_EQ(run_panic("with_sleepers", {{"GOTRACEBACK", "none"}}).err, "panic: boom\n");
}

TEST(gotraceback, single_prints_the_current_goroutine_only) {
    // The default and the word must mean the same: one goroutine, without the sleepers.
    for (const char* level : {"", "single"}) {
        const outcome o = run_panic("with_sleepers", {{"GOTRACEBACK", level}});
        EXPECT_TRUE(panicked(o, "panic: boom"));
        EXPECT_EQ(o.lines_with("goroutine "), 1) << o;
    }
}

TEST(gotraceback, all_prints_the_sleeping_goroutines_too) {
    // Fails if a goroutine is missing, or if the goroutine that panicked does not come first.
    const outcome o = run_panic("with_sleepers", {{"GOTRACEBACK", "all"}});
    EXPECT_TRUE(panicked(o, "panic: boom"));
    EXPECT_EQ(o.lines_with("goroutine "), 4) << o;
    EXPECT_TRUE(o.says(" [chan receive]:\n")) << o;
    EXPECT_TRUE(o.says(" [chan receive (nil chan)]:\n")) << o;
    EXPECT_TRUE(o.says("\n\ngoroutine 1 [")) << o;
}

TEST(gotraceback, crash_ends_by_sigabrt) {
    // The level asks for a core dump: an exit status would leave none.
    const outcome o = run_panic("with_sleepers", {{"GOTRACEBACK", "crash"}});
    EXPECT_EQ(o.first_line(), "panic: boom") << o;
    EXPECT_EQ(o.signal, SIGABRT) << o;
}

TEST(gotraceback, unknown_level_is_reported_and_the_default_used) {
    // Fails if a typing error changes the level silently.
    const outcome o = run_panic("with_sleepers", {{"GOTRACEBACK", "everything"}});
    EXPECT_TRUE(ended_with(o, 2));
    EXPECT_TRUE(matches(o.first_line(), "GOTRACEBACK.*\"everything\".*none, single, all, system"))
        << o;
    EXPECT_EQ(o.lines_with("panic: boom"), 1) << o;
    EXPECT_EQ(o.lines_with("goroutine "), 1) << o;
}
