// Checks that every goroutine gets a turn beside goroutines that compute or block, and that no
// thread is disturbed without need: prog/rude_turns.cpp. A turn that never comes leads to a
// time-out.
#include "child.hpp"

using namespace rota_test;

namespace {

outcome run_turns(const char* name, const char* procs, environment more = {}) {
    more.emplace_back("GOMAXPROCS", procs);
    return run_program("rude_turns", {name}, more);
}

void expect_done(const char* name, const char* procs, const environment& more = {}) {
    const outcome o = run_turns(name, procs, more);
    EXPECT_TRUE(ended_with(o, 0));
    EXPECT_EQ(o.out, "done\n") << o;
}

TEST(rude_run, returns_beside_goroutines_that_compute) {
    for (const char* procs : {"1", "2"}) {
        const outcome o = run_turns("run_returns", procs);
        EXPECT_TRUE(ended_with(o, 0));
        EXPECT_EQ(o.out, "returned\nreturned\nreturned\nthrown\n");
    }
}

TEST(rude_sleeps, are_not_interrupted) {
    for (const char* procs : {"1", "2"}) expect_done("sleeps", procs);
}

TEST(rude_sleeps, in_short_calls_free_the_processor_within_a_slice) {
    expect_done("short_calls", "1");
    expect_done("short_calls", "2");
}

TEST(kb36_rude, needs_no_descriptor) {
    expect_done("no_descriptors", "1");
    expect_done("no_descriptors", "1", {{"GODEBUG", "asyncpreemptoff=1"}});
}

TEST(rude_limit, of_stopped_threads_lets_one_begin_at_a_time) {
    // Each goroutine that computes costs a thread. Fails if there are as many threads as
    // goroutines, or if no goroutine can begin any more.
    if (!plain_build || std::getenv("ROTA_TEST_LONG") == nullptr)
        GTEST_SKIP() << "a thousand threads that compute take long: ./dev test exit --long";
    expect_done("bound_of_stopped", "1");
}

TEST(rude_signal, reaches_threads_that_had_blocked_all) { expect_done("signals_blocked", "1"); }

TEST(rude_signal, of_somebody_else_wakes_nobody) { expect_done("foreign_signals", "1"); }

TEST(rude_limit, of_threads_leaves_everybody_a_turn_who_has_begun) {
    expect_done("thread_limit", "1");
    expect_done("thread_limit", "2");
    expect_done("thread_limit", "24");  // more than the limit of threads
}

TEST(rude_limit, of_threads_counts_no_goroutine_that_computes) {
    expect_done("begun_beyond_limit", "1");
    expect_done("begun_beside_calls", "2");
    for (int i = 0; i < 3; ++i) expect_done("begun_few", "2");
}

TEST(rude_limit, of_threads_keeps_nobody_from_beginning) { expect_done("begin_at_limit", "2"); }

TEST(rude_limit, of_threads_is_not_exceeded_by_who_blocks) { expect_done("block_at_limit", "1"); }

TEST(rude_looks, are_few_while_nobody_is_blocked) {
    expect_done("calm", "1");
    expect_done("calm", "2");
}

TEST(rude_line, is_kept_where_other_programs_have_the_processors) {
    // Fails if each timer takes the p from a thread that waits for a processor, and wakes the next
    // thread in line: in the end each of the twenty is runnable, and each wake-up waits behind
    // them.
    if (!plain_build) GTEST_SKIP() << "beside a sanitizer sysmon does not stop goroutines in time";
    expect_done("line_on_busy_machine", "2");
}

TEST(rude_sleeps, are_not_interrupted_where_other_programs_have_the_processors) {
    // Lending takes a p by a signal to its thread: a thread that is in poll() at that time gets
    // EINTR.
    expect_done("sleeps_on_busy_machine", "2");
}

TEST(rude_silence, hides_nobody_who_begins_to_compute) { expect_done("wake_unseen", "2"); }

TEST(kb41_stack, is_written_with_no_processor_in_hand_while_malloc_waits) {
    if (!plain_build) {
        std::puts("the sanitizer's malloc cannot be replaced");
        return;
    }
    const outcome o = run_program("stack_room", {}, {{"GOMAXPROCS", "1"}});
    EXPECT_TRUE(ended_with(o, 0));
    EXPECT_EQ(o.out, "done\n") << o;
}

TEST(rude_resize, of_the_world_lets_no_more_run_than_there_are_processors) {
    expect_done("resized", "1");
}

TEST(rude_turns, come_early_for_whom_a_foreign_thread_readies) {
    expect_done("foreign_thread", "1");
}

TEST(rude_turns, come_first_for_who_holds_what_others_wait_for) {
    const outcome o = run_turns("convoy", "1");
    EXPECT_TRUE(ended_with(o, 0));
    if (o.out == "no round without other processes\n")
        GTEST_SKIP() << "other processes took the processor from the holder in each of 50 rounds";
    EXPECT_EQ(o.out, "done\n") << o;
}

TEST(rude_turns, of_locked_goroutines_are_on_their_threads) { expect_done("locked_hogs", "1"); }

}  // namespace
