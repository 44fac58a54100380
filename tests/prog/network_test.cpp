// Tests sockets and the process as a whole: deadlocks here, idleness in tests/prog/idle_test.
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
    // Fails if a count of waiters drifts upwards and silences the detector: the child hangs.
    EXPECT_TRUE(
        reported(run("deadlock_after_use"), "fatal error: all goroutines are asleep - deadlock!"));
}

TEST_P(network, kb35_a_thread_that_sleeps_for_descriptors_of_nobody_is_no_hope) {
    // Fails if such a thread counts for ever as a thread that may bring work: the child hangs.
    EXPECT_TRUE(reported(run("deadlock_after_close"),
                         "fatal error: all goroutines are asleep - deadlock!"));
}

TEST_P(network, kb38_the_thread_of_a_ring_is_no_hope_either) {
    // Fails if it counts as a thread of the program's own, which may bring work: the child hangs.
    EXPECT_TRUE(reported(run("deadlock_after_use", "uring"),
                         "fatal error: all goroutines are asleep - deadlock!"));
    EXPECT_TRUE(went_well(run("waits", "uring")));
}

TEST_P(network, kb38_threads_that_read_files_for_a_ring_are_no_hope_either) {
    // They outlive their work, and do not belong to the program. Fails if they count: the child
    // hangs.
    for (const char* poller : {"uring", "epoll"})
        EXPECT_TRUE(reported(run("deadlock_after_files", poller),
                             "fatal error: all goroutines are asleep - deadlock!"));
}

TEST_P(network, kb59_files_are_written_while_the_process_ends) {
    // A goroutine that parks at that time sleeps for ever. Fails if the child hangs, or loses its
    // data.
    for (const char* poller : {"uring", "epoll"})
        EXPECT_TRUE(went_well(run("writes_at_exit", poller)));
}

TEST_P(network, kb44_child_of_a_fork_reads_and_writes_files_by_itself) {
    // The child has a copy of everything except the thread that would do the work.
    for (const char* poller : {"uring", "epoll"})
        EXPECT_TRUE(went_well(run("forks_amid_files", poller)));
}

TEST_P(network, goroutine_that_waits_for_a_socket_is_no_deadlock) {
    // Every goroutine is asleep, and yet another process may connect.
    EXPECT_TRUE(went_well(run("waits")));
}

TEST_P(network, process_ends_although_a_goroutine_waits_in_a_static_listener) {
    // Fails if the listener's destructor waits for a call that never returns.
    EXPECT_TRUE(went_well(run("exits")));
}

INSTANTIATE_TEST_SUITE_P(gomaxprocs, network, testing::Values("1", "2", "4"));
