// Tests, from outside, of goexit, std::terminate and the main goroutine: which goroutines continue,
// and how the process ends.
#include <string>

#include "child.hpp"

using namespace rota_test;

namespace {

outcome run_ends(const char* name, const environment& env = {}) {
    return run_program("ends", {name}, env);
}

constexpr const char* swallowed_text =
    "fatal error: goexit was stopped by a catch (...) that did not rethrow";

}  // namespace

TEST(goid, of_the_first_main_goroutine_is_1) {
    // Fails if another goroutine gets the number, or if every main goroutine gets it.
    EXPECT_TRUE(went_well(run_ends("main_numbers")));
}

TEST(goexit, of_a_locked_main_keeps_its_thread_from_all_others) {
    // Fails if the thread continues as an ordinary thread, and a goroutine finds there what main
    // has left on it.
    for (const char* procs : {"1", "2", "4", "16"})
        EXPECT_TRUE(ended_with(run_ends("main_goexits_locked", {{"GOMAXPROCS", procs}}), 3))
            << procs;
}

TEST(threads, that_wait_on_nil_channels_wait_for_ever_and_hold_up_nobody) {
    // Fails if a wait returns with a value that no goroutine has sent, or if the program does not
    // end.
    for (const char* procs : {"1", "2", "4", "16"})
        EXPECT_TRUE(went_well(run_ends("threads_on_nil_channels", {{"GOMAXPROCS", procs}})))
            << procs;
}

TEST(goexit, of_main_lets_the_others_go_on_until_the_last_has_ended) {
    // Fails if run() returns, if the goroutines stop, or if the end of the last goroutine goes
    // unnoticed.
    for (const char* procs : {"1", "2", "4"}) {
        const outcome o = run_ends("main_goexits", {{"GOMAXPROCS", procs}});
        EXPECT_TRUE(
            reported(o, "fatal error: no goroutines (main called runtime.Goexit) - deadlock!"));
        EXPECT_EQ(o.out, "deferred\nanother\nanother\nanother\n");
        EXPECT_EQ(o.lines_with("goroutine "), 0) << o;
    }
}

TEST(goexit, of_main_leaves_the_exit_status_to_the_others) {
    // Fails if the process ends by itself, or hangs at exit.
    EXPECT_TRUE(ended_with(run_ends("main_goexits_other_exits"), 3));
}

TEST(goexit, of_main_beside_sleepers_is_the_ordinary_deadlock) {
    // Fails if the text says that no goroutines are left although one waits.
    const outcome o = run_ends("main_goexits_others_sleep");
    EXPECT_TRUE(reported(o, "fatal error: all goroutines are asleep - deadlock!"));
    EXPECT_EQ(o.lines_with("goroutine "), 1) << o;
}

TEST(goexit, of_one_main_goroutine_does_not_concern_another_run) {
    // Fails if the process ends while goroutines of the other run() are running. Afterwards no
    // goroutine is left, and the report must say so.
    const outcome o = run_ends("main_goexits_beside_another_run");
    EXPECT_TRUE(reported(o, "fatal error: no goroutines (main called runtime.Goexit) - deadlock!"));
    EXPECT_EQ(o.out, "not concerned\n") << o;
}

TEST(kb54_goexit, swallowed_by_a_catch_all_is_fatal_and_named) {
    // Fails if the goroutine continues as if it had not called goexit.
    for (const char* name : {"swallowed", "swallowed_by_main", "replaced"}) {
        const outcome o = run_ends(name);
        EXPECT_TRUE(reported(o, swallowed_text));
        EXPECT_EQ(o.out, "") << o;
    }
}

TEST(kb54_goexit, through_noexcept_ends_with_a_word_of_why) {
    // Fails if a bare abort ends the process, which names neither goexit nor the goroutine.
    for (const char* name : {"goexit_through_noexcept", "goexit_while_unwinding"}) {
        const outcome o = run_ends(name);
        EXPECT_TRUE(reported(
            o, "fatal error: std::terminate: goexit cannot pass a noexcept function, nor leave a "
               "destructor while an exception passes"))
            << name;
        EXPECT_TRUE(matches(o.err, "\n\ngoroutine [0-9]+ \\[running\\]:\n")) << o;
        EXPECT_EQ(o.out, "");
    }
}

TEST(kb54_goexit, called_again_while_it_unwinds_is_fatal) {
    // The second goexit begins in a destructor: C++ has no way to continue from there.
    EXPECT_TRUE(reported(run_ends("goexit_in_goexit"),
                         "fatal error: goexit called by a destructor that goexit runs"));
}

TEST(terminate, by_an_exception_names_it_and_the_goroutine) {
    // Fails if the message is the C++ library's, which knows no goroutines, and the exit is a
    // signal.
    const outcome o = run_ends("exception_out_of_noexcept");
    EXPECT_TRUE(reported(o, "panic: std::runtime_error: boom"));
    EXPECT_TRUE(o.says("\n\tstd::terminate: it cannot leave a noexcept function")) << o;
    EXPECT_TRUE(matches(o.err, "\n\ngoroutine [0-9]+ \\[running\\]:\n")) << o;
}

TEST(terminate, by_a_panic_of_a_defer_while_panicking_names_the_second) {
    // Fails if no report appears. The first exception is in flight, so the report cannot name it.
    const outcome o = run_ends("panic_in_defer_while_panicking");
    EXPECT_EQ(o.status, 2) << o;
    EXPECT_EQ(o.lines_with("panic: "), 1) << o;
}

TEST(panic, of_a_defer_leaves_the_goroutine) {
    // Fails if the destructor of a defer is noexcept: terminate instead of a panic.
    EXPECT_TRUE(reported(run_ends("panic_in_defer"), "panic: in defer"));
}

TEST(terminate, called_in_a_goroutine_names_it) {
    // Fails if the process ends with a bare abort.
    const outcome o = run_ends("terminate_called");
    EXPECT_TRUE(reported(o, "fatal error: std::terminate called"));
    EXPECT_TRUE(matches(o.err, "\n\ngoroutine [0-9]+ \\[running\\]:\n")) << o;
}

TEST(terminate, in_a_thread_of_the_program_s_own_is_the_library_s) {
    // Fails if the runtime handles an exception of a thread that does not belong to it.
    const outcome o = run_ends("exception_out_of_noexcept_in_thread");
    EXPECT_EQ(o.signal, SIGABRT) << o;
    EXPECT_EQ(o.lines_with("goroutine "), 0) << o;
}

TEST(terminate, calls_the_handler_that_the_program_had_installed) {
    // Fails if the runtime replaces the handler silently.
    const outcome o = run_ends("own_terminate_handler");
    EXPECT_TRUE(ended_with(o, 7));
    EXPECT_EQ(o.out, "the program's own handler\n");
}
