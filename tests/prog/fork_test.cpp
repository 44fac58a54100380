// Known bug 44: fork without exec. The workers are gone in the child, locks stay locked; each thing
// that a child may do has a defined outcome.
#include "child.hpp"

using namespace rota_test;

namespace {

class kb44_fork : public testing::TestWithParam<const char*> {
  protected:
    outcome run(const char* name) {
        // The leak checker of the child would wait for threads that only the parent has.
        return run_program(
            "fork", {name},
            {{"GOMAXPROCS", GetParam()}, with_options("ASAN_OPTIONS", "detect_leaks=0")});
    }
};

}  // namespace

TEST_P(kb44_fork, child_may_exec_and_exit) {
    // The child waits for a thread that it does not have, or for a lock that nobody will release.
    for (const char* name : {"just_exits", "execs", "runs_exit_handlers", "has_static_timers"})
        EXPECT_TRUE(went_well(run(name))) << name;
}

TEST_P(kb44_fork, parent_goes_on) {
    // What the child forgets, the parent forgets too.
    EXPECT_TRUE(went_well(run("parent_goes_on")));
}

TEST_P(kb44_fork, use_of_rota_in_the_child_is_fatal_and_named) {
    // The child hangs: it queues work that no thread will ever run, or waits for itself.
    for (const char* name :
         {"starts_a_goroutine", "uses_a_channel", "yields", "sleeps", "runs", "in_thread"}) {
        const outcome o = run(name);
        EXPECT_TRUE(reported(o, "fatal error: rota used in the child of a fork, which may only "
                                "exec or _exit; start processes by fork and exec, or posix_spawn"))
            << name;
    }
}

TEST_P(kb44_fork, other_ways_to_start_processes_work) {
    // posix_spawn, system and popen under load: the handlers for fork must not disturb them.
    EXPECT_TRUE(went_well(run("spawns")));
}

INSTANTIATE_TEST_SUITE_P(procs, kb44_fork, testing::Values("1", "2", "4", "16"),
                         [](const auto& info) { return "at_" + std::string(info.param); });
