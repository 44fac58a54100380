// Checks that a thousand polite goroutines finish, however rude the goroutines beside them are:
// prog/rude.cpp.
//
// Each case runs at GOMAXPROCS 1 and 2. A rude goroutine that keeps its p leads to a time-out; so
// does a stopped thread that holds what another thread needs.
#include "child.hpp"

using namespace rota_test;

namespace {

outcome run_rude(const char* name, const char* procs, environment more = {}) {
    more.emplace_back("GOMAXPROCS", procs);
    return run_program("rude", {name}, more);
}

class rude : public testing::TestWithParam<const char*> {};

TEST_P(rude, goroutines_let_polite_ones_finish) {
    for (const char* procs : {"1", "2"}) {
        const outcome o = run_rude(GetParam(), procs);
        EXPECT_TRUE(ended_with(o, 0));
        EXPECT_EQ(o.out, "polite\n");
        EXPECT_EQ(o.err, "");
    }
}

// Cases in which threads block: they pass without signals as well.
constexpr const char* blocking_cases[] = {"raw_read", "usleeping"};

constexpr const char* all_cases[] = {"endless_loop", "endless_loop_in_libc", "raw_read",
                                     "mutex_convoy", "recursive_mutex",      "usleeping",
                                     "name_lookups", "malloc_storm",         "iostream_storm",
                                     "throw_storm",  "dlopen_storm",         "fork_exec",
                                     "registers",    "own_handler"};

INSTANTIATE_TEST_SUITE_P(kb41, rude, testing::ValuesIn(all_cases),
                         [](const auto& info) { return std::string(info.param); });

TEST(rude_blocking, needs_no_signal) {
    for (const char* name : blocking_cases) {
        const outcome o = run_rude(name, "1", {{"GODEBUG", "asyncpreemptoff=1"}});
        EXPECT_TRUE(ended_with(o, 0));
        EXPECT_EQ(o.out, "polite\n");
    }
}

TEST(rude_signal, may_be_another) {
    const outcome o = run_rude("endless_loop", "1", {{"GODEBUG", "preemptsignal=40"}});
    EXPECT_TRUE(ended_with(o, 0));
    EXPECT_EQ(o.out, "polite\n");
    const outcome bad = run_rude("usleeping", "1", {{"GODEBUG", "preemptsignal=11"}});
    EXPECT_TRUE(ended_with(bad, 0));
    EXPECT_TRUE(bad.says("rota: GODEBUG preemptsignal: bad value \"11\"")) << bad;
}

TEST(kb59_exit, does_not_wait_for_stopped_threads) {
    for (const char* procs : {"1", "2"})
        EXPECT_TRUE(ended_with(run_rude("exit_amid_mallocs", procs), 3));
}

}  // namespace
