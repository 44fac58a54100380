// Tests librota_hook.so, linked and preloaded: goroutines call plain functions of the C library.
#include "child.hpp"

using namespace rota_test;

namespace {

class hook : public testing::TestWithParam<std::tuple<const char*, const char*>> {
  protected:
    // Runs a case with the library linked, or preloaded into a program that does not link it.
    static outcome run(const char* name, const char* procs, const char* how,
                       const char* godebug = "") {
        environment env{{"GOMAXPROCS", procs}, {"GODEBUG", godebug}};
        const bool is_linked = std::string_view(how) == "linked";
        if (!is_linked) env.emplace_back("LD_PRELOAD", ROTA_HOOK_LIBRARY);
        return run_program(is_linked ? "hook" : "hook_preloaded", {name}, env);
    }
    static outcome run(const char* name, const char* godebug = "") {
        return run(name, std::get<0>(GetParam()), std::get<1>(GetParam()), godebug);
    }
};

}  // namespace

// A call that blocks its thread is missing in the count of parked calls. A call that waits for the
// wrong event, or gets no event, hangs.
TEST_P(hook, bytes_of_sockets_and_pipes_park) { EXPECT_TRUE(went_well(run("bytes_park"))); }

TEST_P(hook, a_call_that_sends_returns_when_all_has_been_sent) {
    // Fails if a call returns early: a client that ignores the count would lose the bytes after the
    // first part.
    EXPECT_TRUE(went_well(run("all_is_sent")));
}

TEST_P(hook, time_limits_of_sockets_hold) { EXPECT_TRUE(went_well(run("time_limits_of_sockets"))); }

TEST_P(hook, a_descriptor_that_does_not_block_says_so_at_once) {
    EXPECT_TRUE(went_well(run("nonblocking_stays_so")));
}

TEST_P(hook, files_locks_and_names_are_as_without_it_and_errno_is_kept) {
    EXPECT_TRUE(went_well(run("files_and_errno")));
}

TEST_P(hook, numbers_that_are_used_again_are_waited_for_anew) {
    // The kernel keeps the registration of a file that a copy keeps open. A wait that relies on it
    // never ends, or ends by an event of the other file.
    EXPECT_TRUE(went_well(run("copies_and_numbers_used_again")));
}

TEST_P(hook, a_close_wakes_the_waiters_of_the_descriptor) {
    EXPECT_TRUE(went_well(run("close_wakes_waiters")));
}

TEST_P(hook, several_goroutines_wait_for_one_descriptor) {
    // The kernel has a single registration of it, which the second wait would take from the first.
    EXPECT_TRUE(went_well(run("several_wait_for_one")));
}

TEST_P(hook, an_event_ends_one_of_the_waits_for_a_file) {
    // Fails if each connection wakes every acceptor: the acceptors that come too late block their
    // threads.
    EXPECT_TRUE(went_well(run("turns")));
}

TEST_P(hook, a_turn_is_passed_at_the_time_limit) {
    EXPECT_TRUE(went_well(run("turn_at_time_limit")));
}

TEST_P(hook, no_wait_queues_behind_another_file) {
    EXPECT_TRUE(went_well(run("turn_of_another_file")));
}

TEST_P(hook, connects_to_a_full_unix_listener_park) {
    EXPECT_TRUE(went_well(run("unix_connects")));
}

TEST_P(hook, poll_waits_for_several_and_for_the_time) {
    EXPECT_TRUE(went_well(run("poll_of_several")));
}

TEST_P(hook, poll_is_told_of_every_event_that_it_asks_for) {
    EXPECT_TRUE(went_well(run("poll_of_every_event")));
}

TEST_P(hook, poll_of_several_waits_in_one_direction_or_in_both) {
    EXPECT_TRUE(went_well(run("poll_of_directions")));
}

TEST_P(hook, select_says_what_is_ready_and_what_time_is_left) {
    EXPECT_TRUE(went_well(run("selects")));
}

TEST_P(hook, epoll_of_the_programs_own_parks) {
    EXPECT_TRUE(went_well(run("epoll_of_the_programs_own")));
}

TEST_P(hook, connections_are_made_and_taken) { EXPECT_TRUE(went_well(run("connections"))); }

TEST_P(hook, connect_parks_until_its_time_limit) { EXPECT_TRUE(went_well(run("connect_parks"))); }

TEST_P(hook, a_send_to_a_full_receiver_does_not_go_round) {
    EXPECT_TRUE(went_well(run("full_receivers")));
}

TEST_P(hook, sleeps_park) { EXPECT_TRUE(went_well(run("sleeps_park"))); }

TEST_P(hook, signals_interrupt_no_parked_call) {
    EXPECT_TRUE(went_well(run("signals_interrupt_no_parked_call")));
}

TEST_P(hook, an_interrupted_question_is_asked_again) {
    EXPECT_TRUE(went_well(run("questions_are_asked_again")));
}

TEST_P(hook, threads_blocking_sections_and_locked_goroutines_are_left_alone) {
    EXPECT_TRUE(went_well(run("others_are_untouched")));
}

TEST_P(hook, child_of_a_fork_makes_its_calls_by_itself) {
    EXPECT_TRUE(went_well(run("child_of_a_fork")));
}

TEST_P(hook, child_of_a_vfork_closes_its_own) { EXPECT_TRUE(went_well(run("child_of_a_vfork"))); }

TEST_P(hook, a_slow_close_spares_the_next_file_of_its_number) {
    EXPECT_TRUE(went_well(run("slow_close")));
}

TEST_P(hook, files_of_the_runtimes_own_can_be_polled) {
    EXPECT_TRUE(went_well(run("runtimes_own")));
}

TEST_P(hook, many_wait_on_few_threads) { EXPECT_TRUE(went_well(run("many_on_few_threads"))); }

TEST_P(hook, locks_are_waited_for_without_a_processor) {
    EXPECT_TRUE(went_well(run("locks", "hook=locks")));
}

TEST_P(hook, a_ring_watches_for_it_too) {
    for (const char* const name :
         {"bytes_park", "several_wait_for_one", "turns", "poll_of_several"})
        EXPECT_TRUE(went_well(run(name, "netpoll=uring")));
}

INSTANTIATE_TEST_SUITE_P(both_ways, hook,
                         testing::Combine(testing::Values("1", "2", "4"),
                                          testing::Values("linked", "preloaded")));

TEST(hook_modes, off_leaves_all_calls_alone) {
    EXPECT_TRUE(went_well(run_program("hook", {"off"}, {{"GODEBUG", "hook=off"}})));
}

TEST(hook_modes, nothing_is_hooked_where_the_library_is_not) {
    EXPECT_TRUE(went_well(run_program("hook_preloaded", {"off"})));
    const outcome o = run_program("hook_preloaded", {"off"}, {{"GODEBUG", "hook=trace"}});
    EXPECT_TRUE(ended_with(o, 0));
    EXPECT_EQ(1, o.lines_with("rota: GODEBUG hook: librota_hook.so is not in this process")) << o;
}

TEST(hook_modes, trace_tells_of_each_parked_call_in_a_line) {
    const outcome o = run_program("hook", {"bytes_park"}, {{"GODEBUG", "hook=trace"}});
    EXPECT_TRUE(ended_with(o, 0));
    // The program itself sleeps until the other goroutine waits: 0 to N lines of clock_nanosleep.
    EXPECT_EQ(o.lines_with("rota: hook: goroutine "),
              7 + o.times_said(" parked in clock_nanosleep for "))
        << o;
    EXPECT_EQ(2, o.times_said(" parked in read fd=")) << o;
    EXPECT_EQ(2, o.times_said(" parked in recv fd=")) << o;
    for (const char* const call : {"recvfrom", "recvmsg", "readv"})
        EXPECT_EQ(1, o.times_said(std::string(" parked in ") + call + " fd=")) << o;
}

TEST(hook_modes, words_that_it_does_not_know_are_refused) {
    const outcome o = run_program("hook", {"bytes_park"}, {{"GODEBUG", "hook=trace+lock"}});
    EXPECT_TRUE(ended_with(o, 0));
    EXPECT_EQ("rota: GODEBUG hook: bad value \"trace+lock\" (accepted: off, trace, locks, "
              "trace+locks); the default is used",
              o.first_line());
}
