// Tests of the deadlock detector: it reports a deadlock when no goroutine can continue, and only
// then.
#include <string>
#include <utility>

#include "child.hpp"

using namespace rota_test;

namespace {

const char* const deadlock = "fatal error: all goroutines are asleep - deadlock!";

class at_gomaxprocs : public testing::TestWithParam<const char*> {
  protected:
    outcome run(const char* name) {
        return run_program("deadlock", {name}, {{"GOMAXPROCS", GetParam()}});
    }
};

class deadlock_report : public at_gomaxprocs {};
class no_deadlock : public at_gomaxprocs {};

bool has_goroutine(const outcome& o, const std::string& why) {
    return matches(o.err, "\n\ngoroutine [0-9]+ \\[" + why + "\\]:\n");
}

}  // namespace

TEST_P(deadlock_report, comes_when_main_receives_for_ever) {
    // Fails if the runtime misses a true deadlock, or if its report is not the text that tools
    // know: the child hangs, or its stderr begins differently.
    const outcome o = run("receive");
    EXPECT_TRUE(reported(o, deadlock));
    EXPECT_TRUE(o.says(std::string(deadlock) + "\n\ngoroutine 1 [chan receive]:\n")) << o;
    EXPECT_EQ(o.lines_with("goroutine "), 1) << o;
}

TEST_P(deadlock_report, comes_when_main_sends_for_ever) {
    // The same for a sender.
    const outcome o = run("send");
    EXPECT_TRUE(reported(o, deadlock));
    EXPECT_TRUE(has_goroutine(o, "chan send")) << o;
}

TEST_P(deadlock_report, counts_waiting_on_nil_channels) {
    // No goroutine can ever reach a waiter on a nil channel. Fails if such a waiter does not count
    // as asleep.
    const outcome o = run("nil");
    EXPECT_TRUE(reported(o, deadlock));
    EXPECT_TRUE(has_goroutine(o, "chan receive \\(nil chan\\)")) << o;
    EXPECT_TRUE(has_goroutine(o, "chan send \\(nil chan\\)")) << o;
}

TEST_P(deadlock_report, counts_waiting_for_a_future) {
    // The waiter for an async whose goroutine never ends: two sleepers of different kinds.
    const outcome o = run("future");
    EXPECT_TRUE(reported(o, deadlock));
    EXPECT_TRUE(has_goroutine(o, "future get")) << o;
}

TEST_P(deadlock_report, counts_goroutines_that_are_locked_to_their_threads) {
    // The threads of these goroutines sleep on no list: the detector could take them for busy.
    const outcome o = run("locked");
    EXPECT_TRUE(reported(o, deadlock));
    EXPECT_EQ(o.lines_with("goroutine "), 4) << o;
    EXPECT_TRUE(has_goroutine(o, "chan receive, locked to thread")) << o;
}

TEST_P(deadlock_report, comes_when_a_locked_main_has_gone_and_the_last_goroutine_ends) {
    // The thread of run() serves no other goroutine; it must not count as a working thread.
    const outcome o = run("locked_goexit");
    EXPECT_TRUE(reported(o, "fatal error: no goroutines (main called runtime.Goexit) - deadlock!"));
}

TEST_P(deadlock_report, names_what_each_goroutine_waits_for) {
    // Fails if a kind of waiting does not count as asleep, or if a goroutine is missing from the
    // report. Fails if the header of a goroutine gives the wrong reason.
    const outcome o = run("each_kind");
    EXPECT_TRUE(reported(o, deadlock));
    const std::pair<const char*, std::size_t> reasons[] = {
        {"sync.WaitGroup.Wait", 1}, {"chan send", 1},         {"chan receive", 2},
        {"sync.Mutex.Lock", 1},     {"sync.RWMutex.Lock", 1}, {"sync.RWMutex.RLock", 1},
        {"sync.Cond.Wait", 1},      {"semacquire", 4}};
    int all = 0;
    for (const auto& [why, count] : reasons) {
        const std::string header = "\ngoroutine ([0-9]+) \\[" + std::string(why) + "\\]:\n";
        EXPECT_EQ(first_groups(o.err, header).size(), count) << why << " in " << o;
        all += static_cast<int>(count);
    }
    EXPECT_EQ(o.lines_with("goroutine "), all) << o;
    EXPECT_EQ(o.lines_with("created by "), all - 1) << o;
    EXPECT_TRUE(o.says(" in goroutine 1\n")) << o;
}

TEST_P(deadlock_report, tells_selects_apart) {
    // Fails if a select does not count as asleep, or if its header shows another kind of wait.
    const outcome o = run("selects");
    EXPECT_TRUE(reported(o, deadlock));
    EXPECT_TRUE(has_goroutine(o, "select \\(no cases\\)")) << o;
    EXPECT_TRUE(has_goroutine(o, "chan receive \\(nil chan\\)")) << o;
    EXPECT_TRUE(o.says("\ngoroutine 1 [select]:\n")) << o;
    EXPECT_TRUE(matches(o.err, " \\[select\\]:\n[\\s\\S]* \\[select\\]:\n")) << o;
}

TEST_P(deadlock_report, comes_after_much_work_on_many_threads) {
    // Fails if timers, hand-offs and wake-ups make the count of idle threads drift, which hides the
    // deadlock: the child hangs.
    const outcome o = run("after_work");
    EXPECT_TRUE(reported(o, deadlock));
    EXPECT_EQ(o.lines_with("goroutine "), 501) << o;
}

TEST_P(deadlock_report, comes_in_a_second_run) {
    // Fails if threads that the first run has left counted as alive silence the detector in the
    // second.
    EXPECT_TRUE(reported(run("second_run"), deadlock));
}

TEST_P(deadlock_report, comes_when_two_runs_wait_for_each_other) {
    // Fails if each thread inside run() counts as a thread that may still bring work.
    const outcome o = run("two_stuck_runs");
    EXPECT_TRUE(reported(o, deadlock));
    EXPECT_EQ(o.lines_with("goroutine "), 2) << o;
}

TEST_P(deadlock_report, comes_when_a_thread_that_might_have_come_has_ended) {
    // rota is not told when a thread of the program's own ends. Fails if the detector does not
    // check again, so that the child hangs, or if the checking thread counts itself among the
    // goroutines.
    const outcome o = run("thread_ends");
    EXPECT_TRUE(reported(o, deadlock));
    EXPECT_EQ(o.lines_with("goroutine "), 1) << o;
}

TEST_P(deadlock_report, comes_when_threads_wait_for_the_deadlocked) {
    // Fails if a thread that joins another counts as a thread that may use rota.
    EXPECT_TRUE(reported(run("threads_wait_too"), deadlock));
}

TEST_P(deadlock_report, comes_when_another_run_has_ended_on_a_thread_that_goes_on) {
    // The thread that leaves run() is the last to check. Fails if it counts itself as a thread that
    // may come back.
    EXPECT_TRUE(reported(run("run_ends_beside"), deadlock));
}

TEST_P(deadlock_report, comes_every_time) {
    // Fails if the last thread to sleep checks before it has counted itself: one of many children
    // hangs.
    for (int round = 0; round < (plain_build ? 100 : 20); ++round)
        ASSERT_TRUE(reported(run("receive"), deadlock)) << "round " << round;
}

TEST_P(no_deadlock, in_many_short_programs) {
    // Fails if the detector checks while a thread is starting, or between the end of a timer and
    // the wake-up of its goroutine: it accuses one of many children.
    for (int round = 0; round < (plain_build ? 200 : 20); ++round)
        ASSERT_TRUE(went_well(run("nap"))) << "round " << round;
}

TEST_P(no_deadlock, while_a_goroutine_sleeps) {
    // Every goroutine is parked and no thread runs, but a timer is pending. Fails if a false report
    // ends the child.
    EXPECT_TRUE(went_well(run("sleeper")));
}

TEST_P(no_deadlock, while_a_goroutine_is_in_blocking) {
    // Another thread takes the p of the blocked thread; the goroutine must still count as alive.
    EXPECT_TRUE(went_well(run("in_blocking")));
}

TEST_P(no_deadlock, while_main_is_in_blocking) {
    // The same for the goroutine on the thread of run().
    EXPECT_TRUE(went_well(run("main_in_blocking")));
}

TEST_P(no_deadlock, while_a_thread_of_the_program_may_send) {
    // The detector does not know the plans of a thread outside: it must keep silent.
    EXPECT_TRUE(went_well(run("thread")));
}

TEST_P(deadlock_report, comes_when_the_thread_of_run_has_used_rota_before) {
    // Fails if a global channel by itself silences the detector for good.
    EXPECT_TRUE(reported(run("global"), deadlock));
    EXPECT_TRUE(reported(run("used_before"), deadlock));
}

TEST_P(deadlock_report, comes_when_a_thread_that_has_used_rota_has_ended) {
    // Fails if the thread counts as able to come back: the child lives until the signal, which ends
    // it with 0.
    EXPECT_TRUE(reported(run("thread_that_was"), deadlock));
}

TEST_P(no_deadlock, while_a_thread_goes_on_outside_run) {
    // Fails if the end of the thread's run() makes the detector forget the thread itself.
    EXPECT_TRUE(went_well(run("outside_again")));
}

TEST_P(no_deadlock, while_a_timer_of_any_kind_is_pending) {
    // Every goroutine is parked without a sleep of its own: each timer by itself keeps the program
    // alive.
    EXPECT_TRUE(went_well(run("timers")));
}

TEST_P(deadlock_report, comes_when_the_only_timer_has_been_stopped) {
    // Fails if a stopped timer counts as pending, for an hour.
    const outcome o = run("stopped_timer");
    EXPECT_TRUE(reported(o, deadlock));
    EXPECT_TRUE(has_goroutine(o, "chan receive")) << o;
}

TEST_P(no_deadlock, while_a_thread_is_on_its_way_to_rota) {
    // The same, but rota has no record of that thread.
    EXPECT_TRUE(went_well(run("fresh_thread")));
}

TEST_P(no_deadlock, while_a_thread_waits_for_one_that_is_awake) {
    // Of the two threads, only the first sleeps without a limit. Fails if the detector checks only
    // that thread.
    EXPECT_TRUE(went_well(run("thread_behind_a_thread")));
}

TEST_P(no_deadlock, while_another_run_sleeps) {
    // The timer belongs to the main goroutine of another run() on another thread.
    EXPECT_TRUE(went_well(run("two_runs")));
}

TEST_P(no_deadlock, when_nobody_is_in_run) {
    // A goroutine left asleep after run() has returned is no deadlock: main continues in C++.
    EXPECT_TRUE(went_well(run("nobody_runs")));
}

TEST_P(deadlock_report, comes_when_a_trace_is_over) {
    // Fails if the goroutine that wrote the trace counts for ever as waiting for a wake-up: the
    // child hangs.
    const outcome o = run("after_trace");
    EXPECT_TRUE(reported(o, deadlock));
}

TEST_P(no_deadlock, is_seen_while_somebody_sees_to_a_trace) {
    // The trace's goroutine rests without a timer. Fails if the detector takes the waits of the
    // other goroutines for a deadlock: the child does not live until its alarm.
    const outcome o = run("in_trace");
    EXPECT_EQ(o.status, 7) << o;
}

INSTANTIATE_TEST_SUITE_P(procs, deadlock_report, testing::Values("1", "2", "4", "16"));
INSTANTIATE_TEST_SUITE_P(procs, no_deadlock, testing::Values("1", "2", "4", "16"));

TEST(godebug_tracebackancestors, shows_the_stack_that_has_started_a_goroutine) {
    // Fails if no stack is kept, or if it is kept without this setting.
    const outcome with =
        run_program("deadlock", {"started"}, {{"GODEBUG", "tracebackancestors=1"}});
    EXPECT_TRUE(reported(with, deadlock));
    EXPECT_EQ(with.lines_with("[originating from goroutine 1]:\n"), 1) << with;
    EXPECT_EQ(with.lines_with("starts_a_sender"), 0) << with;  // it is in an unnamed namespace
    EXPECT_TRUE(matches(with.err, "created by [^\n]*starts_a_sender.* in goroutine 1\n[^\n]*\n"
                                  "\\[originating from goroutine 1\\]:\n"
                                  "[^\n]*starts_a_sender\\(\\)\n[^\n]*deadlock.cpp:[0-9]+ .*\n"
                                  "[^\n]*started\\(\\)"))
        << with;
    const outcome without = run_program("deadlock", {"started"});
    EXPECT_TRUE(reported(without, deadlock));
    EXPECT_FALSE(without.says("originating")) << without;
}
