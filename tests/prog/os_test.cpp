// Tests files, signals and children of whole processes: the events that end a process, and the
// events that must not.
#include "child.hpp"

using namespace rota_test;

namespace {

class os : public testing::TestWithParam<const char*> {
  protected:
    outcome run(const char* name) {
        return run_program("os", {name}, {{"GOMAXPROCS", GetParam()}});
    }
};

}  // namespace

TEST_P(os, kb38_goroutine_that_waits_for_a_signal_is_no_deadlock) {
    // Every goroutine is asleep, and yet another process may send a requested signal.
    child c(program("os", {"waits_for_signal"}), {{"GOMAXPROCS", GetParam()}});
    ASSERT_TRUE(c.says("waiting\n"));
    ::kill(c.pid(), SIGTERM);
    const outcome o = c.finish();
    EXPECT_TRUE(went_well(o));
}

TEST_P(os, kb38_deadlock_is_reported_once_nobody_asks_for_signals) {
    // Fails if the goroutine that delivers signals holds the detector back for ever.
    EXPECT_TRUE(
        reported(run("deadlock_after_stop"), "fatal error: all goroutines are asleep - deadlock!"));
}

TEST_P(os, signal_does_what_it_did_after_the_last_stop) {
    EXPECT_EQ(run("default_after_stop").signal, SIGTERM);
}

TEST_P(os, signal_ignored_from_the_beginning_stays_so_unless_asked_for) {
    // nohup: fails if a hang-up ends the program or its children.
    std::vector<std::string> command = program("os", {"nohup"});
    command.insert(command.begin(), {"/bin/sh", "-c", "trap '' HUP; exec \"$0\" \"$@\""});
    const outcome o = child(command, {{"GOMAXPROCS", GetParam()}}).finish();
    EXPECT_TRUE(went_well(o));
}

TEST_P(os, output_that_nobody_reads_ends_the_program_by_its_signal) {
    // Fails if a program in a pipeline continues after its reader has ended.
    const outcome o = run("broken_output");
    EXPECT_EQ(o.signal, SIGPIPE) << o;
    EXPECT_EQ(o.err, "now\n");
    EXPECT_TRUE(went_well(run("broken_output_notified")));
}

TEST_P(os, sigquit_is_for_who_asks_and_the_report_comes_back) {
    const outcome o = run("quit_is_asked_for");
    EXPECT_TRUE(ended_with(o, 2));
    EXPECT_EQ(o.first_line(), "SIGQUIT: quit");
}

TEST_P(os, signal_for_a_closed_channel_is_a_panic) {
    EXPECT_TRUE(reported(run("closed_channel"), "panic: send on closed channel"));
}

TEST_P(os, command_may_be_the_first_use_of_rota) { EXPECT_TRUE(went_well(run("command_first"))); }

TEST_P(os, status_of_a_child_that_nobody_keeps_is_an_error_and_no_hang) {
    EXPECT_TRUE(went_well(run("children_are_ignored")));
}

TEST_P(os, process_may_end_before_its_children) {
    EXPECT_TRUE(went_well(run("ends_with_children")));
}

INSTANTIATE_TEST_SUITE_P(gomaxprocs, os, testing::Values("1", "2", "4"));
