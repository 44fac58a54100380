// Sockets and the process as a whole: idleness is tests/prog/idle_test's, deadlocks are here.
#include "child.hpp"

using namespace rota_test;

namespace {
class network : public testing::TestWithParam<const char*> {
  protected:
    outcome run(const char* name, const char* poller = "epoll") {
        return run_program(
            "network", {name},
            {{"GOMAXPROCS", GetParam()}, {"GODEBUG", std::string("netpoll=") + poller}});
    }
};
}  // namespace

TEST_P(network, kb35_true_deadlock_is_reported_though_sockets_have_been_used) {
    // A count of waiters that has drifted upwards silences the detector: the child hangs.
    EXPECT_TRUE(
        reported(run("deadlock_after_use"), "fatal error: all goroutines are asleep - deadlock!"));
}

TEST_P(network, kb35_a_thread_that_sleeps_for_descriptors_of_nobody_is_no_hope) {
    // It counts as one that may bring work, for ever: the child hangs.
    EXPECT_TRUE(reported(run("deadlock_after_close"),
                         "fatal error: all goroutines are asleep - deadlock!"));
}

TEST_P(network, kb38_the_thread_of_a_ring_is_no_hope_either) {
    // It counts as a thread of the program's own, which may bring work: the child hangs.
    EXPECT_TRUE(reported(run("deadlock_after_use", "uring"),
                         "fatal error: all goroutines are asleep - deadlock!"));
    EXPECT_TRUE(went_well(run("waits", "uring")));
}

TEST_P(network, kb38_threads_that_read_files_for_a_ring_are_no_hope_either) {
    // They outlive their work, and are no threads of the program's: the child hangs.
    for (const char* poller : {"uring", "epoll"})
        EXPECT_TRUE(reported(run("deadlock_after_files", poller),
                             "fatal error: all goroutines are asleep - deadlock!"));
}

TEST_P(network, kb59_files_are_written_while_the_process_ends) {
    // Who parks then sleeps for ever: the child hangs, or loses what it has written.
    for (const char* poller : {"uring", "epoll"})
        EXPECT_TRUE(went_well(run("writes_at_exit", poller)));
}

TEST_P(network, kb44_child_of_a_fork_reads_and_writes_files_by_itself) {
    // It has a copy of everything but the thread that would do it.
    for (const char* poller : {"uring", "epoll"})
        EXPECT_TRUE(went_well(run("forks_amid_files", poller)));
}

TEST_P(network, goroutine_that_waits_for_a_socket_is_no_deadlock) {
    // All goroutines are asleep, and yet somebody outside may connect.
    EXPECT_TRUE(went_well(run("waits")));
}

TEST_P(network, process_ends_although_a_goroutine_waits_in_a_static_listener) {
    // Its destructor could wait for a call that never comes back.
    EXPECT_TRUE(went_well(run("exits")));
}

INSTANTIATE_TEST_SUITE_P(gomaxprocs, network, testing::Values("1", "2", "4"));
