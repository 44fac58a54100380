// goexit, std::terminate and the main goroutine from outside: who goes on, and what the end looks
// like.
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
    // Another goroutine could have the number, or every main goroutine.
    EXPECT_TRUE(went_well(run_ends("main_numbers")));
}

TEST(goexit, of_a_locked_main_keeps_its_thread_from_all_others) {
    // The thread goes on as any other, and a goroutine finds there what main has left of its own.
    for (const char* procs : {"1", "2", "4", "16"})
        EXPECT_TRUE(ended_with(run_ends("main_goexits_locked", {{"GOMAXPROCS", procs}}), 3))
            << procs;
}

TEST(threads, that_wait_on_nil_channels_wait_for_ever_and_hold_up_nobody) {
    // A thread comes back with a value that nobody has sent, or the program does not end.
    for (const char* procs : {"1", "2", "4", "16"})
        EXPECT_TRUE(went_well(run_ends("threads_on_nil_channels", {{"GOMAXPROCS", procs}})))
            << procs;
}

TEST(goexit, of_main_lets_the_others_go_on_until_the_last_has_ended) {
    // run() returns, or the others are left behind, or the last end goes unnoticed.
    for (const char* procs : {"1", "2", "4"}) {
        const outcome o = run_ends("main_goexits", {{"GOMAXPROCS", procs}});
        EXPECT_TRUE(
            reported(o, "fatal error: no goroutines (main called runtime.Goexit) - deadlock!"));
        EXPECT_EQ(o.out, "deferred\nanother\nanother\nanother\n");
        EXPECT_EQ(o.lines_with("goroutine "), 0) << o;
    }
}

TEST(goexit, of_main_leaves_the_exit_status_to_the_others) {
    // The process ends by itself, or hangs at exit.
    EXPECT_TRUE(ended_with(run_ends("main_goexits_other_exits"), 3));
}

TEST(goexit, of_main_beside_sleepers_is_the_ordinary_deadlock) {
    // The text says that there are no goroutines although one waits.
    const outcome o = run_ends("main_goexits_others_sleep");
    EXPECT_TRUE(reported(o, "fatal error: all goroutines are asleep - deadlock!"));
    EXPECT_EQ(o.lines_with("goroutine "), 1) << o;
}

TEST(goexit, of_one_main_goroutine_does_not_concern_another_run) {
    // The process ends while the other's goroutines run; afterwards there are none, which it must
    // say.
    const outcome o = run_ends("main_goexits_beside_another_run");
    EXPECT_TRUE(reported(o, "fatal error: no goroutines (main called runtime.Goexit) - deadlock!"));
    EXPECT_EQ(o.out, "not concerned\n") << o;
}

TEST(kb54_goexit, swallowed_by_a_catch_all_is_fatal_and_named) {
    // The goroutine goes on as if nothing had been asked.
    for (const char* name : {"swallowed", "swallowed_by_main", "replaced"}) {
        const outcome o = run_ends(name);
        EXPECT_TRUE(reported(o, swallowed_text));
        EXPECT_EQ(o.out, "") << o;
    }
}

TEST(kb54_goexit, through_noexcept_ends_with_a_word_of_why) {
    // A bare abort, which names neither goexit nor the goroutine.
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
    // The second one begins in a destructor: C++ has no way to go on from there.
    EXPECT_TRUE(reported(run_ends("goexit_in_goexit"),
                         "fatal error: goexit called by a destructor that goexit runs"));
}

TEST(terminate, by_an_exception_names_it_and_the_goroutine) {
    // The C++ library's message knows no goroutines, and the exit is a signal.
    const outcome o = run_ends("exception_out_of_noexcept");
    EXPECT_TRUE(reported(o, "panic: std::runtime_error: boom"));
    EXPECT_TRUE(o.says("\n\tstd::terminate: it cannot leave a noexcept function")) << o;
    EXPECT_TRUE(matches(o.err, "\n\ngoroutine [0-9]+ \\[running\\]:\n")) << o;
}

TEST(terminate, by_a_panic_of_a_defer_while_panicking_names_the_second) {
    // Nobody says what has happened; the first exception is in flight and cannot be named.
    const outcome o = run_ends("panic_in_defer_while_panicking");
    EXPECT_EQ(o.status, 2) << o;
    EXPECT_EQ(o.lines_with("panic: "), 1) << o;
}

TEST(panic, of_a_defer_leaves_the_goroutine) {
    // The destructor of a defer is noexcept: terminate instead of a panic.
    EXPECT_TRUE(reported(run_ends("panic_in_defer"), "panic: in defer"));
}

TEST(terminate, called_in_a_goroutine_names_it) {
    // A bare abort.
    const outcome o = run_ends("terminate_called");
    EXPECT_TRUE(reported(o, "fatal error: std::terminate called"));
    EXPECT_TRUE(matches(o.err, "\n\ngoroutine [0-9]+ \\[running\\]:\n")) << o;
}

TEST(terminate, in_a_thread_of_the_program_s_own_is_the_library_s) {
    // The runtime takes over what does not concern it.
    const outcome o = run_ends("exception_out_of_noexcept_in_thread");
    EXPECT_EQ(o.signal, SIGABRT) << o;
    EXPECT_EQ(o.lines_with("goroutine "), 0) << o;
}

TEST(terminate, calls_the_handler_that_the_program_had_installed) {
    // The runtime replaces it without a word.
    const outcome o = run_ends("own_terminate_handler");
    EXPECT_TRUE(ended_with(o, 7));
    EXPECT_EQ(o.out, "the program's own handler\n");
}
