// Tests, from outside, the reports of signals and the stacks in them.
#include <string>

#include "child.hpp"

using namespace rota_test;

namespace {

outcome run_crash(const char* name, const environment& env = {}) {
    return run_program("crash", {name}, env);
}

// asan and tsan install their own handlers for faults, which replace the program's.
constexpr bool faults_are_ours = !under_asan && !under_tsan;

testing::AssertionResult faulted(const outcome& o, const std::string& text,
                                 const std::string& signal) {
    if (!reported(o, "panic: runtime error: " + text)) return reported(o, "panic: " + text);
    if (matches(o.err, "^[^\n]*\n\\[signal " + signal +
                           " code=0x[0-9a-f]+ addr=0x[0-9a-f]+ pc=0x[0-9a-f]+\\]\n\ngoroutine "
                           "[0-9]+ \\[running\\]:\n"))
        return testing::AssertionSuccess();
    return testing::AssertionFailure() << "second line of " << o;
}

constexpr const char* nil_text = "invalid memory address or nil pointer dereference";
constexpr const char* segv_text = "SIGSEGV: segmentation violation";

// Sends the signal to a child once it is ready.
outcome signalled(const char* name, int signal, const environment& env = {}) {
    child c(program("crash", {name}), env);
    EXPECT_TRUE(c.says("ready\n"));
    ::kill(c.pid(), signal);
    return c.finish();
}

// The text of one goroutine in a report: from its header to the empty line.
std::string goroutine_with(const outcome& o, const std::string& part) {
    for (std::size_t at = o.err.find("\ngoroutine "); at != std::string::npos;
         at = o.err.find("\ngoroutine ", at + 1)) {
        const std::string one = o.err.substr(at, o.err.find("\n\n", at + 1) - at);
        if (one.find(part) != std::string::npos) return one;
    }
    return {};
}

}  // namespace

TEST(fault, in_a_goroutine_is_go_s_panic) {
    // Fails if a bare signal ends the child, or if the report lacks the fault, its place or its
    // goroutine.
    if (!faults_are_ours) return;
    const outcome o = run_crash("segv");
    EXPECT_TRUE(faulted(o, nil_text, segv_text));
    EXPECT_TRUE(matches(o.err, "\\[running\\]:\nreads_null\\(\\)\n\t[^\n]*crash.cpp:[0-9]+ \\+0x"))
        << o;
    EXPECT_TRUE(matches(o.err, "code=0x1 addr=0x0 pc=0x")) << o;
    EXPECT_TRUE(matches(o.err, "\ncreated by .* in goroutine 1\n\t")) << o;
    EXPECT_TRUE(faulted(run_crash("segv_in_main"), nil_text, segv_text));
}

TEST(fault, of_each_kind_has_go_s_text) {
    // Fails if the texts are mixed up, or if the runtime does not handle a kind: the child dies by
    // a signal.
    if (!faults_are_ours) return;
    EXPECT_TRUE(
        faulted(run_crash("fpe"), "integer divide by zero", "SIGFPE: floating-point exception"));
    EXPECT_TRUE(faulted(run_crash("bus"), nil_text, "SIGBUS: bus error"));
}

TEST(fault, of_a_jump_to_nowhere_shows_who_jumped) {
    // No function exists at the address. Fails if the walk ends at once: an empty trace.
    if (!faults_are_ours) return;
    const outcome o = run_crash("jump_to_null");
    EXPECT_TRUE(faulted(o, nil_text, segv_text));
    EXPECT_TRUE(matches(
        o.err, "addr=0x0 pc=0x0\\]\n\ngoroutine [0-9]+ \\[running\\]:\njumps_to_null\\(\\)\n"))
        << o;
}

TEST(kb41_fault, inside_the_allocator_does_not_hang_the_report) {
    // Fails if the report allocates while its own thread holds the allocator's lock.
    if (!faults_are_ours) return;
    EXPECT_TRUE(faulted(run_crash("segv_in_free"), nil_text, segv_text));
}

TEST(fault, in_a_thread_of_the_program_s_own_is_the_kernel_s) {
    // Fails if the runtime handles a fault of a thread that does not belong to it.
    if (!faults_are_ours) return;
    EXPECT_EQ(run_crash("segv_in_thread").signal, SIGSEGV);
}

TEST(kb45_crashes, at_once_give_one_whole_report) {
    // Fails if two reports mix, if each waits for the other, or if the second ends the process
    // before the first is written.
    if (!faults_are_ours) return;
    for (int round = 0; round < 100; ++round) {
        const outcome o = run_crash("many_at_once", {{"GOMAXPROCS", "4"}});
        ASSERT_TRUE(ended_with(o, 2));
        ASSERT_EQ(o.lines_with("panic: "), 1) << o;
        ASSERT_EQ(o.err.rfind("panic: ", 0), 0U) << o;
        ASSERT_EQ(o.lines_with("goroutine "), 1) << o;
        ASSERT_EQ(o.lines_with("created by "), 1) << o;
        ASSERT_EQ(o.err.back(), '\n') << o;
    }
}

TEST(kb45_crashes, are_reported_although_main_returns_meanwhile) {
    // Fails if the end of main ends the process in the middle of the report: status 0, or half a
    // text.
    int reports = 0;
    for (int round = 0; round < 40; ++round) {
        const outcome o = run_crash("main_returns_meanwhile", {{"GOMAXPROCS", "2"}});
        if (o.err.empty()) continue;  // main was first
        ++reports;
        ASSERT_TRUE(ended_with(o, 2));
        ASSERT_GT(o.err.size(), std::size_t{1} << 20);
        ASSERT_EQ(o.lines_with("created by "), 1) << o;
    }
    if (reports == 0) std::printf("main was first in every round\n");
}

TEST(kb45_crashes, are_reported_wholly_or_not_at_all_while_static_objects_go) {
    // Fails if the process ends in the middle of the text. That happens if only the code that ends
    // the process checks for a running report, and checks too early.
    for (int round = 0; round < 20; ++round) {
        const outcome o = run_crash("main_has_returned", {{"GOMAXPROCS", "2"}});
        ASSERT_TRUE(ended_with(o, o.err.empty() ? 0 : 2));
        ASSERT_EQ(o.lines_with("created by "), o.err.empty() ? 0 : 1) << o;
    }
}

TEST(kb45_crashes, of_the_very_thread_that_ends_the_process_are_reported) {
    // Fails if this thread waits for ever for the process to end: ending it is this thread's own
    // work.
    const outcome o = run_crash("quits_while_ending");
    EXPECT_TRUE(ended_with(o, 2));
    EXPECT_TRUE(o.says("SIGQUIT: quit\n")) << o;
}

TEST(kb45_crashes, that_a_signal_interrupts_are_reported_all_the_same) {
    // Fails if SIGQUIT on the reporting thread counts as a failure of the report, or ends the write
    // that it interrupts: no report appears.
    const outcome o = run_crash("quits_while_reporting");
    EXPECT_TRUE(ended_with(o, 2));
    EXPECT_TRUE(o.says("panic: std::runtime_error: said in spite of a signal\n\ngoroutine ")) << o;
    EXPECT_FALSE(o.says("SIGQUIT")) << o;
}

TEST(kb45_crashes, whose_message_function_parks_are_reported) {
    // Fails if what() runs while the report's lock is held, or on a stack that may not switch.
    const outcome o = run_crash("what_parks");
    EXPECT_TRUE(ended_with(o, 2));
    EXPECT_TRUE(matches(o.err, "^panic: .*parks_in_what: after a while\n\ngoroutine ")) << o;
}

TEST(panic, of_a_nested_exception_names_what_is_nested) {
    // Fails if the report loses the inner exception, which is the cause, or names the library's own
    // class.
    const outcome o = run_crash("nested_exception");
    EXPECT_TRUE(matches(o.err, "^panic: .*outer: outer\n\tnested: std::runtime_error: inner\n\n"))
        << o;
    EXPECT_FALSE(o.says("_Nested_exception")) << o;
}

TEST(abort, in_a_goroutine_names_it_and_stays_an_abort) {
    // Fails if the report does not name the goroutine, or if an exit status replaces the core dump.
    const outcome o = run_crash("aborts");
    EXPECT_EQ(o.signal, SIGABRT) << o;
    EXPECT_TRUE(matches(o.err, "^SIGABRT: abort\nPC=0x[0-9a-f]+ m=[0-9]+ sigcode=-?[0-9]+\n\n"
                               "goroutine [0-9]+ \\[running\\]:\n"))
        << o;
}

TEST(deadlock, shows_every_stack_down_to_the_function_that_waits) {
    // Fails if waiting goroutines have headers only, or if the walk of their stacks begins at a
    // wrong place.
    const outcome o = run_crash("deadlock");
    EXPECT_TRUE(reported(o, "fatal error: all goroutines are asleep - deadlock!"));
    EXPECT_EQ(o.lines_with("goroutine "), 3) << o;
    EXPECT_EQ(o.lines_with("receives_for_ever("), 2) << o;
    EXPECT_EQ(o.lines_with("locks_for_ever("), 1) << o;
    // Without optimisation recv() is a frame of its own.
    EXPECT_TRUE(matches(o.err, "\ngoroutine 1 \\[chan receive\\]:\n"
                               "(rota::chan<int>::recv\\([^\n]*\n\t[^\n]*chan.hpp:[^\n]*\n)?"
                               "receives_for_ever\\("
                               "[^\n]*\n\t[^\n]*crash.cpp:[0-9]+ \\+0x[0-9a-f]+\n"))
        << o;
    EXPECT_FALSE(o.says("rota::rt::")) << "frames of the runtime in " << o;
}

TEST(sigquit, shows_every_goroutine_and_ends_with_status_2) {
    // Fails if the report omits a goroutine, hangs at a running goroutine, does not show its stack,
    // or lacks the registers.
    for (const char* procs : {"1", "2", "4"}) {
        const outcome o = signalled("waits_for_signal", SIGQUIT, {{"GOMAXPROCS", procs}});
        EXPECT_TRUE(reported(o, "SIGQUIT: quit"));
        EXPECT_TRUE(matches(o.err, "^SIGQUIT: quit\nPC=0x[0-9a-f]+ m=[0-9]+ sigcode=0\n\n")) << o;
        EXPECT_NE(goroutine_with(o, "receives_for_ever(")
                      .find("[chan receive] {tenant: blue}:\n# name: receiver"),
                  std::string::npos)
            << o;
        EXPECT_NE(goroutine_with(o, "locks_for_ever(").find("[sync.Mutex.Lock]:"),
                  std::string::npos)
            << o;
        EXPECT_TRUE(o.says(" [sleep]:\n")) << o;
        EXPECT_NE(goroutine_with(o, "pauses_in_a_call(").find("[syscall]:"), std::string::npos)
            << o;
        // tsan delivers no signal inside a loop, except to the thread to which it was sent: the
        // stack of the loop may be missing.
        const std::string computing = rota_test::under_tsan ? " [" : "computes_for_ever(";
        EXPECT_NE(goroutine_with(o, computing).find("[running]:"), std::string::npos) << o;
        EXPECT_GE(o.lines_with("goroutine "), 6) << o;
#if defined(__x86_64__)
        EXPECT_TRUE(matches(o.err, "\n\nrax    0x[0-9a-f]+\nrbx    0x")) << o;
#endif
    }
}

TEST(sigquit, asks_a_service_that_was_started_in_the_background) {
    // A shell without job control makes a command that it starts with `&` ignore SIGQUIT. A process
    // that ignores SIGHUP and SIGINT, as under nohup, keeps ignoring them.
    std::vector<std::string> command = program("crash", {"waits_for_signal"});
    const std::string ignoring = "trap '' QUIT HUP INT; exec \"$0\" \"$@\"";
    command.insert(command.begin(), {"/bin/sh", "-c", ignoring});
    child c(std::move(command));
    ASSERT_TRUE(c.says("ready\n"));
    ::kill(c.pid(), SIGHUP);
    ::kill(c.pid(), SIGINT);
    ::kill(c.pid(), SIGQUIT);
    const outcome o = c.finish();
    EXPECT_TRUE(ended_with(o, 2));
    EXPECT_TRUE(reported(o, "SIGQUIT: quit"));
    EXPECT_NE(goroutine_with(o, "receives_for_ever(").find("[chan receive]"), std::string::npos)
        << o;
}

TEST(sigquit, leaves_out_labels_if_it_is_asked_to) {
    // A user who publishes a dump would otherwise publish the names of the clients with it.
    const outcome o = signalled("waits_for_signal", SIGQUIT, {{"GODEBUG", "tracebacklabels=0"}});
    EXPECT_NE(goroutine_with(o, "receives_for_ever(").find("[chan receive]:\n# name: receiver"),
              std::string::npos)
        << o;
    EXPECT_FALSE(o.says("blue")) << o;
}

TEST(sigquit, goes_to_the_handler_that_the_program_had_installed) {
    // Fails if the runtime takes the signal from the program.
    const outcome o = signalled("own_handler_of_quit", SIGQUIT);
    EXPECT_TRUE(ended_with(o, 7));
    EXPECT_EQ(o.out, "ready\nmine\n");
}

TEST(gotraceback, system_shows_the_runtime_s_frames_and_addresses) {
    // Fails if this level does nothing more than `all`.
    const outcome o = run_crash("deadlock", {{"GOTRACEBACK", "system"}});
    EXPECT_TRUE(o.says("\nrota::rt::gopark(")) << o;
    EXPECT_TRUE(matches(o.err, "\ngoroutine 1 gp=0x[0-9a-f]+ m=nil \\[chan receive\\]:\n")) << o;
    EXPECT_TRUE(matches(o.err, "\\+0x[0-9a-f]+ fp=0x[0-9a-f]+ sp=0x[0-9a-f]+ pc=0x[0-9a-f]+\n"))
        << o;
    EXPECT_TRUE(matches(run_crash("deadlock", {{"GOTRACEBACK", "2"}}).err, " fp=0x"))
        << "as a number";
}

TEST(gotraceback, numbers_mean_what_they_mean_to_go) {
    // 0 is `none` and 1 is `all`.
    EXPECT_EQ(run_crash("what_parks", {{"GOTRACEBACK", "0"}}).lines_with("goroutine "), 0);
    EXPECT_EQ(run_crash("what_parks", {{"GOTRACEBACK", "1"}}).lines_with("goroutine "), 2);
}

TEST(traceback, of_a_deep_stack_leaves_out_its_middle) {
    // Fails if hundreds of frames hide the rest, or if the outermost frames are missing.
    const outcome o = run_crash("deep");
    EXPECT_TRUE(matches(o.err, "\n\\.\\.\\.[0-9]+ frames elided\\.\\.\\.\n")) << o;
    EXPECT_LE(o.lines_with("many_frames("), 100) << o;
    EXPECT_TRUE(matches(o.err, "::deep\\(\\)::[^\n]*\\(\\)\n\t[^\n]*\ncreated by ")) << o;
}
