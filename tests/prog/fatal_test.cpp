// Fatal errors from outside: mistakes with locks, functions, threads and stacks.

#include "child.hpp"

using namespace rota_test;

namespace {

outcome run_fatal(const char* name, const environment& env = {}) {
    return run_program("fatal", {name}, env);
}

testing::AssertionResult overflowed(const outcome& o) {
    if (o.timed_out || o.status != 2) return testing::AssertionFailure() << "status of " << o;
    const char* const report = "^runtime: goroutine stack exceeds [0-9]+-byte limit\n"
                               "runtime: sp=0x[0-9a-f]+ stack=\\[0x[0-9a-f]+, 0x[0-9a-f]+\\]\n"
                               "runtime: the access at 0x[0-9a-f]+ lies [0-9]+ KiB below the end "
                               "of the stack of [0-9]+ KiB; go_options::stack_size and "
                               "rota::runtime::set_max_stack set the size\n"
                               "fatal error: stack overflow\n";
    if (!matches(o.err, report)) return testing::AssertionFailure() << "text of " << o;
    return testing::AssertionSuccess();
}

}  // namespace

TEST(unlock, of_unlocked_mutex_is_fatal) {
    // The mistake goes unnoticed, or is reported as an exception that a catch swallows.
    const char* const text = "fatal error: sync: unlock of unlocked mutex";
    const outcome o = run_fatal("unlock");
    EXPECT_TRUE(reported(o, text));
    EXPECT_TRUE(o.says("\n\ngoroutine 1 [running]:\n")) << o;
    EXPECT_TRUE(reported(run_fatal("unlock_twice"), text));
    const outcome caught = run_fatal("unlock_caught");
    EXPECT_TRUE(reported(caught, text));
    EXPECT_EQ(caught.out, "");
}

TEST(unlock, of_unlocked_mutex_is_fatal_in_a_thread_too) {
    // Outside goroutines there is no current goroutine to print: the report itself might crash.
    EXPECT_TRUE(
        reported(run_fatal("unlock_in_thread"), "fatal error: sync: unlock of unlocked mutex"));
}

TEST(unlock, of_unlocked_shared_mutex_is_fatal) {
    // The count of readers would go below zero, and a later writer share the lock.
    const char* const text = "fatal error: sync: Unlock of unlocked RWMutex";
    EXPECT_TRUE(reported(run_fatal("unlock_shared"), text));
    EXPECT_TRUE(reported(run_fatal("unlock_of_a_reader"), text));
    const char* const readers = "fatal error: sync: RUnlock of unlocked RWMutex";
    EXPECT_TRUE(reported(run_fatal("runlock"), readers));
    EXPECT_TRUE(reported(run_fatal("runlock_in_thread"), readers));
    EXPECT_TRUE(reported(run_fatal("runlock_after_many"), readers));
}

TEST(pin, that_a_goroutine_does_not_end_itself_is_fatal) {
    // The next goroutine with this stack would be pinned; or another goroutine's count would sink.
    const outcome o = run_fatal("ends_pinned");
    EXPECT_TRUE(ended_with(o, 2));
    EXPECT_EQ(o.lines_with("fatal error: rota: goroutine ended inside a pin"), 1) << o;
    EXPECT_TRUE(o.says("runtime: goroutine 2 has begun a rota::runtime::pin that did not end"));
    EXPECT_TRUE(reported(run_fatal("pin_ends_elsewhere"),
                         "fatal error: rota: a pin ended in another goroutine than it began in"));
}

TEST(go_statement, of_an_empty_function_is_fatal) {
    // The new goroutine would throw bad_function_call far from the mistake, or jump to address 0.
    const char* const text = "fatal error: go of nil func value";
    for (const char* name : {"nil_function", "nil_function_of_a_group", "nil_function_with_options",
                             "nil_function_from_a_thread", "nil_pointer"})
        EXPECT_TRUE(reported(run_fatal(name), text)) << name;
}

constexpr const char* exhaustion =
    "runtime: program exceeds 8-thread limit\nfatal error: thread exhaustion\n\nruntime stack:\n";

TEST(threads, beyond_the_limit_are_fatal) {
    // The limit is not kept, the report hangs on the lock that the counting thread holds, or two
    // threads that exceed it at once both begin a report.
    const std::string report = exhaustion;
    for (const char* procs : {"1", "2", "4"}) {
        for (int round = 0; round < 4; ++round) {
            const outcome o = run_fatal("too_many_threads", {{"GOMAXPROCS", procs}});
            ASSERT_TRUE(ended_with(o, 2));
            ASSERT_EQ(o.err.substr(0, report.size()), report) << o;
            ASSERT_EQ(o.lines_with("fatal error: "), 1) << o;
        }
    }
}

TEST(threads, beyond_the_limit_are_fatal_beside_goroutines_that_compute) {
    // Threads that stand by for what is taken from those who compute serve the program's calls, one
    // after the other, and are made anew: there is no limit.
    for (const char* procs : {"1", "2", "4"}) {
        const outcome o = run_fatal("too_many_threads_beside_hogs", {{"GOMAXPROCS", procs}});
        ASSERT_TRUE(ended_with(o, 2));
        ASSERT_EQ(o.err.substr(0, std::string(exhaustion).size()), exhaustion) << o;
    }
}

TEST(threads, within_the_limit_are_granted) {
    // Threads are counted that have ended or never began: the limit strikes too early.
    EXPECT_TRUE(went_well(run_fatal("enough_threads")));
}

TEST(kb58_stack_overflow, by_deep_recursion_names_goroutine_and_creator) {
    // The process dies of a bare SIGSEGV, or the report cannot say whose stack it was.
    const outcome o = run_fatal("deep");
    EXPECT_TRUE(overflowed(o));
    EXPECT_TRUE(matches(
        o.err, "\n\ngoroutine [0-9]+ gp=0x[0-9a-f]+ m=[0-9]+ mp=0x[0-9a-f]+ \\[running\\]:\n"))
        << o;
    EXPECT_TRUE(o.says("\n\nruntime stack:\n")) << o;
    EXPECT_TRUE(matches(o.err, "\ncreated by .* in goroutine 1\n\t")) << o;
}

TEST(kb58_stack_overflow, of_the_main_goroutine_is_reported) {
    // The main goroutine has a stack of its own, not the thread's: its guard must be known too.
    const outcome o = run_fatal("deep_main");
    EXPECT_TRUE(overflowed(o));
    EXPECT_TRUE(o.says("\n\ngoroutine 1 gp=0x")) << o;
    EXPECT_FALSE(o.says("created by")) << o;
}

TEST(kb58_stack_overflow, inside_a_library_is_reported) {
    // snprintf, printf and getaddrinfo hold locks and buffers of libc where the stack ends: a
    // report that uses libc's stdio or malloc would hang.
    for (const char* name : {"in_library", "in_printf", "in_getaddrinfo"})
        EXPECT_TRUE(overflowed(run_fatal(name))) << name;
}

TEST(kb58_stack_overflow, by_one_large_frame_is_reported) {
    // A frame larger than guard and stack jumps over both, into another goroutine's stack, unless
    // the compiler touches each page on the way.
    EXPECT_TRUE(overflowed(run_fatal("one_frame")));
}

TEST(kb58_stack_overflow, is_reported_on_any_thread) {
    // A thread of the runtime has no alternate signal stack: the kernel kills the process by
    // SIGSEGV without a word.
    for (int round = 0; round < 5; ++round) {
        ASSERT_TRUE(overflowed(run_fatal("after_migration", {{"GOMAXPROCS", "4"}})));
    }
}

TEST(kb58_stack_overflow, of_other_sizes_is_reported_with_the_size) {
    // The guard of such a stack is not where it should be, or the report says another size.
    for (const auto& [name, limit] : {std::pair{"of_64_kib", "65536"}, {"of_8_mib", "8388608"}}) {
        const outcome o = run_fatal(name);
        EXPECT_TRUE(overflowed(o));
        EXPECT_TRUE(o.says("stack exceeds " + std::string(limit) + "-byte limit")) << o;
        const std::string kib = std::to_string(std::stol(limit) / 1024);
        EXPECT_TRUE(o.says(" below the end of the stack of " + kib + " KiB; ")) << o;
    }
}

TEST(kb58_stack_overflow, is_not_reported_within_the_size_asked_for) {
    // The option is ignored, or the guard of a large stack sits in the wrong place.
    EXPECT_TRUE(went_well(run_fatal("large_stack")));
}

TEST(fault, reaches_the_handler_that_the_program_had_installed) {
    // The runtime keeps the signal to itself and the program's handler is never called.
    for (const char* name : {"own_handler_in_goroutine", "own_handler_in_thread",
                             "own_handler_of_bus", "own_handler_of_fpe"}) {
        const outcome o = run_fatal(name);
        EXPECT_TRUE(ended_with(o, 7));
        EXPECT_EQ(o.out, "the program's own handler\n");
        EXPECT_EQ(o.err, "");
    }
}

TEST(fault, in_a_guard_is_the_runtime_s_in_spite_of_such_a_handler) {
    // The program's handler hides the stack overflow.
    EXPECT_TRUE(overflowed(run_fatal("own_handler_and_overflow")));
}

TEST(fault, without_a_handler_ends_the_process) {
    // The signal is swallowed and the instruction repeats for ever.
    const outcome o = run_fatal("fault_without_handler");
    EXPECT_FALSE(o.timed_out) << o;
    EXPECT_NE(o.status, 0) << o;
}
