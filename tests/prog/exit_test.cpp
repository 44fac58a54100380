// The end of a process in which goroutines are alive: status, silence, time.

#include "child.hpp"

using namespace rota_test;

namespace {

class kb59_live_goroutines : public testing::TestWithParam<const char*> {
  protected:
    outcome run(const char* name) {
        return run_program("exit", {name}, {{"GOMAXPROCS", GetParam()}});
    }

    // The program says when it begins to end, by the clock that we read too: to make 10,000
    // goroutines may take long.
    static double seconds_since_ending(const outcome& o) {
        const std::string said = "ending at ";
        const auto now = std::chrono::steady_clock::now().time_since_epoch();
        const std::size_t at = o.out.find(said);
        EXPECT_NE(at, o.out.npos) << o;
        if (at == o.out.npos) return 1e9;
        const std::chrono::nanoseconds began(std::atoll(o.out.c_str() + at + said.size()));
        return std::chrono::duration<double>(now - began).count();
    }

    // Ends well, behind a static destructor that says so.
    void expect_last_words(const char* name, const char* words) {
        const outcome o = run(name);
        EXPECT_TRUE(went_well(o));
        EXPECT_NE(o.out.find(words), o.out.npos) << o;
    }

    // A quiet end with that status, and at once: a busy machine may be slow, but not in each of ten
    // tries, while an end that waits for something always does.
    void expect_end(const char* name, int status) {
        constexpr double quick = plain_build ? 1.0 : 60.0;
        outcome o;
        double took = 0;
        for (int tries = 10; tries > 0; --tries) {
            o = run(name);
            took = seconds_since_ending(o);
            ASSERT_TRUE(ended_with(o, status));
            ASSERT_EQ(o.err, "") << o;
            if (took < quick) return;
        }
        ADD_FAILURE() << "never ends within " << quick << " s, but in " << took << ": " << o;
    }
};

}  // namespace

TEST_P(kb59_live_goroutines, do_not_disturb_the_return_from_main) {
    // 10,000 goroutines of all kinds: the end waits for one, crashes under one, or loses main's
    // status.
    expect_end("return_from_main", 5);
}

TEST_P(kb59_live_goroutines, and_pending_timers_keep_what_is_theirs) {
    // A leak detector finds no way to it, and ends the process with another status.
    expect_end("pending_timers", 5);
}

TEST_P(kb59_live_goroutines, do_not_disturb_exit_in_the_main_goroutine) {
    // As above; exit runs on a goroutine's stack, and that goroutine never comes back.
    expect_end("exit_in_main_goroutine", 3);
}

TEST_P(kb59_live_goroutines, do_not_disturb_exit_in_a_goroutine) {
    // As above, on a thread of the runtime's own.
    expect_end("exit_in_goroutine", 3);
}

TEST_P(kb59_live_goroutines, do_not_disturb_exit_inside_blocking) {
    // As above; the goroutine has no p then.
    expect_end("exit_in_blocking", 3);
}

TEST_P(kb59_live_goroutines, do_not_disturb_exit_in_a_thread) {
    // As above, on a thread that never used rota.
    expect_end("exit_in_thread", 3);
}

TEST_P(kb59_live_goroutines, do_not_disturb_quick_exit) {
    // quick_exit runs no handler: nobody stops the goroutines, and the end must still be quiet.
    expect_end("quick_exit", 3);
}

TEST_P(kb59_live_goroutines, do_not_hold_up_the_end_by_computing) {
    // A goroutine that never enters the runtime: the end waits for it for ever.
    expect_end("exit_beside_spinner", 3);
}

TEST_P(kb59_live_goroutines, do_not_hold_up_run) {
    // run() waits for goroutines other than its own, or a second run() finds a broken scheduler.
    expect_end("run_returns", 0);
}

TEST_P(kb59_live_goroutines, of_a_thousand_runs_do_no_harm) {
    // Each run leaves a sleeper and a registration for the end of the process behind.
    expect_end("many_runs", 0);
}

TEST_P(kb59_live_goroutines, do_not_outlive_static_objects) {
    // A goroutine uses a static object that has been destroyed: status 70 or 71, or a signal.
    for (int round = 0; round < (plain_build ? 20 : 5); ++round) {
        const outcome returned = run("statics");
        ASSERT_TRUE(went_well(returned));
        const outcome exited = run("statics_exit_in_goroutine");
        ASSERT_TRUE(ended_with(exited, 3));
        ASSERT_EQ(exited.err, "") << exited;
    }
}

using kb06_world_stop = kb59_live_goroutines;

TEST_P(kb06_world_stop, no_wake_up_slips_in_while_it_stops) {
    // A p taken by a waker, or handed to a thread that is only being made, is not seen to stop: a
    // goroutine runs beside destructors (status 70 or 71, or a signal), or the end waits for ever.
    // The end of the process is the one stop of the world so far; changes of GOMAXPROCS and
    // collections join here when there are any.
    for (int round = 0; round < (plain_build ? 10 : 3); ++round)
        ASSERT_TRUE(went_well(run("amid_wake_ups")));
}

TEST_P(kb59_live_goroutines, may_be_outlived_by_an_object_that_uses_rota) {
    // A static destructor that sends, receives, locks and starts a goroutine after the scheduler
    // has stopped: it hangs, or the goroutine runs (72).
    EXPECT_TRUE(went_well(run("late_use")));
}

TEST_P(kb59_live_goroutines, leave_waits_with_a_limit_to_destructors) {
    // Nobody looks at timers any more: the end hangs.
    expect_last_words("late_waits", "all waits are over");
}

TEST_P(kb59_live_goroutines, let_threads_end_that_destructors_join) {
    // A thread of the program's own sleeps for ever in a wait with a limit, or for a descriptor.
    expect_last_words("late_joins", "all threads are joined");
}

TEST_P(kb59_live_goroutines, are_not_begun_by_timers_while_threads_are_served) {
    // A function's goroutine would be made, and a context's end: nobody would ever run them, and
    // what they hold would be lost.
    expect_last_words("late_timers_begin_nothing", "what is left stays");
}

TEST_P(kb59_live_goroutines, leave_nobody_to_run_another) {
    // run() waits for ever for a goroutine that never begins. The panic leaves a destructor here.
    const outcome o = run("late_run");
    EXPECT_NE(o.err.find("rota: run called while the process exits"), o.err.npos) << o;
    EXPECT_FALSE(went_well(o));
}

TEST_P(kb59_live_goroutines, of_static_groups_are_not_waited_for) {
    // The destructors of a scope and an error_group wait for goroutines that never run again.
    expect_end("static_groups", 0);
}

TEST_P(kb59_live_goroutines, are_not_unwound) {
    // As in Go, nothing of theirs runs any more: a destructor says so on stdout if it does.
    const outcome o = run("no_unwinding");
    EXPECT_TRUE(went_well(o));
    EXPECT_EQ(o.out, "");
}

TEST_P(kb59_live_goroutines, do_not_survive_sigterm) {
    // The threads of the runtime block signals or handle this one: the child lives on.
    child c(program("exit", {"killed"}), {{"GOMAXPROCS", GetParam()}});
    ASSERT_TRUE(c.says("ready\n"));
    ::kill(c.pid(), SIGTERM);
    const outcome o = c.finish();
    EXPECT_FALSE(o.timed_out) << o;
    EXPECT_EQ(o.signal, SIGTERM) << o;
    EXPECT_EQ(o.err, "") << o;
}

INSTANTIATE_TEST_SUITE_P(procs, kb59_live_goroutines, testing::Values("1", "2", "4", "16"),
                         [](const auto& info) { return "at_" + std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(procs, kb06_world_stop, testing::Values("1", "2", "4"),
                         [](const auto& info) { return "at_" + std::string(info.param); });
