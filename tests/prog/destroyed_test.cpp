// An object that goes while somebody waits in it: the report names both, and the process ends.

#include "child.hpp"

using namespace rota_test;

namespace {

outcome run_destroyed(const char* name, const char* procs = "1") {
    return run_program("destroyed", {name}, {{"GOMAXPROCS", procs}});
}

// The hint, the error, then the destroyer's trace and the waiter's, with lines of the program.
testing::AssertionResult names_both(const outcome& o, const std::string& object,
                                    const std::string& reason) {
    const std::string text = "^runtime: captured by reference\\? [^\n]*\nfatal error: " + object +
                             " destroyed while goroutine [0-9]+ waits in it \\[" + reason +
                             "\\]\n\ngoroutine 1 \\[running\\]:\n";
    if (o.timed_out || o.status != 2 || !matches(o.err, text.c_str()))
        return testing::AssertionFailure() << "text of " << o;
    const auto waiter = o.err.find(" [" + reason);
    if (o.err.find("/destroyed.cpp:", o.err.find("goroutine 1 [running]")) == std::string::npos ||
        o.err.find("/destroyed.cpp:", o.err.find("[" + reason + "]:", waiter + 1)) ==
            std::string::npos)
        return testing::AssertionFailure() << "traces of " << o;
    return testing::AssertionSuccess();
}

}  // namespace

TEST(destroyed, reports_both_goroutines) {
    // The runtime blames itself, or the waiter goes on later in memory that is another's.
    const struct {
        const char *name, *object, *reason;
    } all[] = {
        {"chan_receive", "channel", "chan receive"},
        {"chan_send", "channel", "chan send"},
        {"chan_range", "channel", "chan receive"},
        {"chan_limited", "channel", "chan receive"},
        {"chan_select", "channel", "select"},
        {"select_set", "select_set", "select"},
        {"timer", "channel of a timer", "chan receive"},
        {"ticker", "channel of a timer", "chan receive"},
        {"mutex", "mutex", "sync.Mutex.Lock"},
        {"shared_mutex", "shared_mutex", "sync.Mutex.Lock"},
        {"shared_mutex_reader", "shared_mutex", "sync.RWMutex.RLock"},
        {"shared_mutex_writer", "shared_mutex", "sync.RWMutex.Lock"},
        {"condition_variable", "condition_variable", "sync.Cond.Wait"},
        {"wait_group", "wait_group", "sync.WaitGroup.Wait"},
        {"semaphore", "semaphore", "semacquire"},
        {"semaphore_limited", "semaphore", "semacquire"},
        {"latch", "latch", "semacquire"},
        {"barrier", "barrier", "semacquire"},
        {"weighted_semaphore", "weighted_semaphore", "semacquire"},
        {"error_group", "error_group", "sync.WaitGroup.Wait"},
        {"scope", "scope", "sync.WaitGroup.Wait"},
        {"once_flag", "once_flag", "sync.Mutex.Lock"},
        {"future", "future", "future get"},
        {"future_limited", "future", "future get"},
        {"context", "context", "sleep"},
    };
    for (const auto& one : all)
        EXPECT_TRUE(names_both(run_destroyed(one.name), one.object, one.reason)) << one.name;
}

TEST(destroyed, reports_a_thread_that_waits) {
    // A thread has no goroutine's number: the report itself might crash.
    const outcome o = run_destroyed("waiter_is_a_thread", "2");
    EXPECT_TRUE(ended_with(o, 2));
    EXPECT_TRUE(matches(o.err, "\nfatal error: channel destroyed while thread [0-9]+ waits in it "
                               "\\[chan receive\\]\n"))
        << o;
}

TEST(destroyed, is_silent_where_nobody_goes_on) {
    // Static objects go at the end of every process, goroutines or not.
    for (const char* procs : {"1", "4"}) EXPECT_TRUE(went_well(run_destroyed("at_exit", procs)));
    const outcome left = run_destroyed("left_in_a_bubble");
    EXPECT_TRUE(went_well(left));
    EXPECT_EQ(left.out, "deadlock: all goroutines in bubble are blocked\n");
}

TEST(destroyed, the_outside_adds_to_no_group_of_a_bubble) {
    // The bubble's goroutines may wait in it durably: time has leapt already, and nobody says so.
    EXPECT_TRUE(reported(
        run_destroyed("group_of_a_bubble"),
        "fatal error: sync: WaitGroup.Add called from inside and outside synctest bubble"));
}
