// Tests requests to yield, with and without stops of threads: prog/requests.cpp.
#include "child.hpp"

using namespace rota_test;

namespace {

outcome run_requests(const char* name, environment more = {}) {
    more.emplace_back("GOMAXPROCS", "1");
    return run_program("requests", {name}, more);
}

TEST(requests, stop_who_computes_and_not_with_asyncpreemptoff) {
    // Fails if the key has no effect. A machine that delays a thread for long makes it look
    // blocked: then sysmon takes its processor all the same, hence "at times".
    const outcome usual = run_requests("slices");
    EXPECT_TRUE(ended_with(usual, 0));
    EXPECT_NE(usual.out, "always kept\n") << usual;
    const outcome off = run_requests("slices", {{"GODEBUG", "asyncpreemptoff=1"}});
    EXPECT_TRUE(ended_with(off, 0));
    EXPECT_NE(off.out, "never kept\n") << off;
}

TEST(requests, are_honoured_by_operations_that_need_not_wait) {
    // Fails if an operation never checks for a request and keeps the only processor; with this key
    // no m takes it.
    const outcome o = run_requests("operations", {{"GODEBUG", "asyncpreemptoff=1"}});
    EXPECT_TRUE(ended_with(o, 0)) << o;
    EXPECT_EQ(o.out, "done\n") << o;
}

TEST(requests, let_whom_the_network_readies_come_first) {
    // Fails if it waits for a slice of each goroutine that computes: six times as many changes of
    // turns.
    const outcome o = run_requests("socket");
    EXPECT_TRUE(ended_with(o, 0)) << o;
    EXPECT_EQ(o.out, "done\n") << o;
}

TEST(requests, come_after_the_time_that_the_environment_says) {
    // Fails if the runtime refuses the value, ignores it, or reads it as nanoseconds and cuts every
    // turn short. Without a value the time is 1 ms, and a turn must not end sooner: the runtime
    // could mistake a turn that a goroutine has lent, and ended with, for the turn of the next.
    // Each request comes at the beginning of a turn.
    const outcome o = run_requests("answers", {{"GODEBUG", "interactiveafter=10000"}});
    EXPECT_TRUE(ended_with(o, 0)) << o;
    EXPECT_FALSE(o.says("bad value")) << o;
    EXPECT_GT(std::atoi(o.out.c_str()), 9'000) << o;
    const outcome usual = run_requests("answers");
    EXPECT_TRUE(ended_with(usual, 0)) << usual;
    EXPECT_GT(std::atoi(usual.out.c_str()), 1'000) << usual;
    const outcome bad = run_requests("operations", {{"GODEBUG", "interactiveafter=5"}});
    EXPECT_TRUE(ended_with(bad, 0)) << bad;
    EXPECT_TRUE(bad.says("rota: GODEBUG interactiveafter: bad value \"5\" (accepted: 100 to "
                         "10000 microseconds"))
        << bad;
}

}  // namespace
