// The deadlock detector: it reports when nothing can go on any more, and only then.
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
    // A true deadlock goes unnoticed, or its report is not the one that tools know: the child
    // hangs, or its stderr begins otherwise.
    const outcome o = run("receive");
    EXPECT_TRUE(reported(o, deadlock));
    EXPECT_TRUE(o.says(std::string(deadlock) + "\n\ngoroutine 1 [chan receive]:\n")) << o;
    EXPECT_EQ(o.lines_with("goroutine "), 1) << o;
}

TEST_P(deadlock_report, comes_when_main_sends_for_ever) {
    // As above, for a sender.
    const outcome o = run("send");
    EXPECT_TRUE(reported(o, deadlock));
    EXPECT_TRUE(has_goroutine(o, "chan send")) << o;
}

TEST_P(deadlock_report, counts_waiting_on_nil_channels) {
    // Nobody can ever reach a nil channel's waiter; it might not be counted as asleep.
    const outcome o = run("nil");
    EXPECT_TRUE(reported(o, deadlock));
    EXPECT_TRUE(has_goroutine(o, "chan receive \\(nil chan\\)")) << o;
    EXPECT_TRUE(has_goroutine(o, "chan send \\(nil chan\\)")) << o;
}

TEST_P(deadlock_report, counts_waiting_for_a_future) {
    // The waiter of an async whose goroutine never ends: two sleepers of different kinds.
    const outcome o = run("future");
    EXPECT_TRUE(reported(o, deadlock));
    EXPECT_TRUE(has_goroutine(o, "future get")) << o;
}

TEST_P(deadlock_report, counts_goroutines_that_are_locked_to_their_threads) {
    // Their threads sleep on no list: the detector could take them for busy ones.
    const outcome o = run("locked");
    EXPECT_TRUE(reported(o, deadlock));
    EXPECT_EQ(o.lines_with("goroutine "), 4) << o;
    EXPECT_TRUE(has_goroutine(o, "chan receive, locked to thread")) << o;
}

TEST_P(deadlock_report, comes_when_a_locked_main_has_gone_and_the_last_goroutine_ends) {
    // The thread of run() is kept from all others; it must not count as one that works.
    const outcome o = run("locked_goexit");
    EXPECT_TRUE(reported(o, "fatal error: no goroutines (main called runtime.Goexit) - deadlock!"));
}

TEST_P(deadlock_report, names_what_each_goroutine_waits_for) {
    // A kind of waiting is not counted as asleep, a goroutine is missing from the report, or its
    // header says the wrong reason.
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
    // A select is not counted as asleep, or its header is that of another wait.
    const outcome o = run("selects");
    EXPECT_TRUE(reported(o, deadlock));
    EXPECT_TRUE(has_goroutine(o, "select \\(no cases\\)")) << o;
    EXPECT_TRUE(has_goroutine(o, "chan receive \\(nil chan\\)")) << o;
    EXPECT_TRUE(o.says("\ngoroutine 1 [select]:\n")) << o;
    EXPECT_TRUE(matches(o.err, " \\[select\\]:\n[\\s\\S]* \\[select\\]:\n")) << o;
}

TEST_P(deadlock_report, comes_after_much_work_on_many_threads) {
    // A count of idle threads that drifts with timers, hand-offs and wake-ups hides the deadlock:
    // the child hangs.
    const outcome o = run("after_work");
    EXPECT_TRUE(reported(o, deadlock));
    EXPECT_EQ(o.lines_with("goroutine "), 501) << o;
}

TEST_P(deadlock_report, comes_in_a_second_run) {
    // What the first run has left counted as alive keeps the detector from firing in the second.
    EXPECT_TRUE(reported(run("second_run"), deadlock));
}

TEST_P(deadlock_report, comes_when_two_runs_wait_for_each_other) {
    // Each thread inside run() counts as somebody who may still bring work.
    const outcome o = run("two_stuck_runs");
    EXPECT_TRUE(reported(o, deadlock));
    EXPECT_EQ(o.lines_with("goroutine "), 2) << o;
}

TEST_P(deadlock_report, comes_when_a_thread_that_might_have_come_has_ended) {
    // Nothing in rota happens when a thread of the program's own ends: nobody looks again, and the
    // child hangs; or who looks counts itself among the goroutines.
    const outcome o = run("thread_ends");
    EXPECT_TRUE(reported(o, deadlock));
    EXPECT_EQ(o.lines_with("goroutine "), 1) << o;
}

TEST_P(deadlock_report, comes_when_threads_wait_for_the_deadlocked) {
    // A thread that joins another counts as one that may come.
    EXPECT_TRUE(reported(run("threads_wait_too"), deadlock));
}

TEST_P(deadlock_report, comes_when_another_run_has_ended_on_a_thread_that_goes_on) {
    // The thread that leaves run() is the last one to look, and may still come itself.
    EXPECT_TRUE(reported(run("run_ends_beside"), deadlock));
}

TEST_P(deadlock_report, comes_every_time) {
    // The last thread to sleep looks before it has counted itself: one of many children hangs.
    for (int round = 0; round < (plain_build ? 100 : 20); ++round)
        ASSERT_TRUE(reported(run("receive"), deadlock)) << "round " << round;
}

TEST_P(no_deadlock, in_many_short_programs) {
    // The detector looks while a thread is being started, or between the end of a timer and the
    // waking of its goroutine: one of many children is accused.
    for (int round = 0; round < (plain_build ? 200 : 20); ++round)
        ASSERT_TRUE(went_well(run("nap"))) << "round " << round;
}

TEST_P(no_deadlock, while_a_goroutine_sleeps) {
    // All are parked and no thread runs, but a timer is pending: a false report ends the child.
    EXPECT_TRUE(went_well(run("sleeper")));
}

TEST_P(no_deadlock, while_a_goroutine_is_in_blocking) {
    // The p of the blocked thread is taken away; its goroutine must still count as alive.
    EXPECT_TRUE(went_well(run("in_blocking")));
}

TEST_P(no_deadlock, while_main_is_in_blocking) {
    // As above, for the goroutine that sits on the thread of run().
    EXPECT_TRUE(went_well(run("main_in_blocking")));
}

TEST_P(no_deadlock, while_a_thread_of_the_program_may_send) {
    // The detector does not know what a thread outside will do: it must keep silent.
    EXPECT_TRUE(went_well(run("thread")));
}

TEST_P(deadlock_report, comes_when_the_thread_of_run_has_used_rota_before) {
    // A global channel alone keeps the detector silent for good.
    EXPECT_TRUE(reported(run("global"), deadlock));
    EXPECT_TRUE(reported(run("used_before"), deadlock));
}

TEST_P(deadlock_report, comes_when_a_thread_that_has_used_rota_has_ended) {
    // It counts as one that may come again: the child lives until the signal, which ends it with 0.
    EXPECT_TRUE(reported(run("thread_that_was"), deadlock));
}

TEST_P(no_deadlock, while_a_thread_goes_on_outside_run) {
    // What the thread did is forgotten with its run(), and so is the thread.
    EXPECT_TRUE(went_well(run("outside_again")));
}

TEST_P(no_deadlock, while_a_timer_of_any_kind_is_pending) {
    // All are parked, and no goroutine sleeps: each timer alone keeps the program alive.
    EXPECT_TRUE(went_well(run("timers")));
}

TEST_P(deadlock_report, comes_when_the_only_timer_has_been_stopped) {
    // A stopped timer is counted as pending, for an hour.
    const outcome o = run("stopped_timer");
    EXPECT_TRUE(reported(o, deadlock));
    EXPECT_TRUE(has_goroutine(o, "chan receive")) << o;
}

TEST_P(no_deadlock, while_a_thread_is_on_its_way_to_rota) {
    // As above, but nothing in rota tells of that thread.
    EXPECT_TRUE(went_well(run("fresh_thread")));
}

TEST_P(no_deadlock, while_a_thread_waits_for_one_that_is_awake) {
    // Only one of the two sleeps for ever, and only it is looked at.
    EXPECT_TRUE(went_well(run("thread_behind_a_thread")));
}

TEST_P(no_deadlock, while_another_run_sleeps) {
    // The timer belongs to the main goroutine of another run() on another thread.
    EXPECT_TRUE(went_well(run("two_runs")));
}

TEST_P(no_deadlock, when_nobody_is_in_run) {
    // A goroutine left asleep when run() has returned is no deadlock: main goes on in C++.
    EXPECT_TRUE(went_well(run("nobody_runs")));
}

TEST_P(deadlock_report, comes_when_a_trace_is_over) {
    // The goroutine that saw to the trace counts as one that will be woken, for ever: the child
    // hangs.
    const outcome o = run("after_trace");
    EXPECT_TRUE(reported(o, deadlock));
}

TEST_P(no_deadlock, is_seen_while_somebody_sees_to_a_trace) {
    // That goroutine rests without a timer: the others' waiting is taken for a deadlock, and the
    // child does not live until its alarm.
    const outcome o = run("in_trace");
    EXPECT_EQ(o.status, 7) << o;
}

INSTANTIATE_TEST_SUITE_P(procs, deadlock_report, testing::Values("1", "2", "4", "16"));
INSTANTIATE_TEST_SUITE_P(procs, no_deadlock, testing::Values("1", "2", "4", "16"));

TEST(godebug_tracebackancestors, shows_the_stack_that_has_started_a_goroutine) {
    // Nothing is kept, or it is kept although nobody asked.
    const outcome with =
        run_program("deadlock", {"started"}, {{"GODEBUG", "tracebackancestors=1"}});
    EXPECT_TRUE(reported(with, deadlock));
    EXPECT_EQ(with.lines_with("[originating from goroutine 1]:\n"), 1) << with;
    EXPECT_EQ(with.lines_with("starts_a_sender"), 0) << with;  // in an unnamed namespace
    EXPECT_TRUE(matches(with.err, "created by [^\n]*starts_a_sender.* in goroutine 1\n[^\n]*\n"
                                  "\\[originating from goroutine 1\\]:\n"
                                  "[^\n]*starts_a_sender\\(\\)\n[^\n]*deadlock.cpp:[0-9]+ .*\n"
                                  "[^\n]*started\\(\\)"))
        << with;
    const outcome without = run_program("deadlock", {"started"});
    EXPECT_TRUE(reported(without, deadlock));
    EXPECT_FALSE(without.says("originating")) << without;
}
