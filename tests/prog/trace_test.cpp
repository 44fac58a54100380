// Replays traces of small programs, event by event: prog/trace.cpp writes them. trace_check.py
// reads them, and so does Go's own reader if Go is installed.
//
// A reader refuses a file in which an event is missing, comes twice, or comes in an order that no
// scheduler can produce. It also refuses a trace that begins or ends in the middle of an operation
// and states another state than its events. Planted breaches test the checker's own rules
// (--self-test).
#include <cstdlib>
#include <filesystem>
#include <regex>

#include "child.hpp"

using namespace rota_test;

namespace {

namespace fs = std::filesystem;

class traced_program : public testing::Test {
  protected:
    traced_program() {
        char name[] = "/tmp/rota_trace_XXXXXX";
        directory_ = ::mkdtemp(name);
    }
    ~traced_program() override { fs::remove_all(directory_); }

    std::string path(const char* name) const { return directory_ + "/" + name; }

    static outcome check(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"/usr/bin/env", "python3", ROTA_TRACE_CHECK});
        return child(std::move(arguments)).finish();
    }

    // Replays every file with the checker and with Go's reader. Returns the checker's output.
    std::string replay() {
        const outcome ours = check({directory_});
        EXPECT_TRUE(went_well(ours));
        const outcome go = check({"--go", directory_});
        EXPECT_TRUE(went_well(go));
        if (go.out.starts_with("skipped")) std::printf("%s", go.out.c_str());
        return ours.out;
    }

    // The number of these events that the checker has counted in the files together.
    static int count(const std::string& said, const std::string& event) {
        int sum = 0;
        const std::string key = " " + event + " ";
        for (std::size_t at = said.find(key); at != said.npos; at = said.find(key, at + 1))
            sum += std::atoi(said.c_str() + at + key.size());
        return sum;
    }

    std::string directory_;
};

class traced_programs : public traced_program, public testing::WithParamInterface<const char*> {};

TEST_F(traced_program, is_checked_by_who_finds_every_planted_breach) {
    EXPECT_TRUE(went_well(check({"--self-test"})));
}

TEST_P(traced_programs, of_every_kind_can_be_replayed) {
    ASSERT_TRUE(
        went_well(run_program("trace", {"all", path("all")}, {{"GOMAXPROCS", GetParam()}})));
    const std::string said = replay();
    EXPECT_GE(count(said, "generations"), 2) << said;
    for (const char* event : {"GoCreate",
                              "GoCreateSyscall",
                              "GoDestroy",
                              "GoBlock(chan receive)",
                              "GoBlock(chan send)",
                              "GoBlock(select)",
                              "GoBlock(sleep)",
                              "GoBlock(network)",
                              "GoBlock(sync)",
                              "GoSyscallBegin",
                              "GoSyscallEndBlocked",
                              "ProcStart",
                              "ProcStop",
                              "ProcSteal",
                              "STWBegin(GOMAXPROCS)",
                              "UserTaskBegin(request)",
                              "UserTaskBegin(part)",
                              "UserTaskEnd",
                              "UserRegionBegin(parse)",
                              "UserRegionEnd(step)",
                              "UserLog(half way)"})
        EXPECT_GT(count(said, event), 0) << event << ": " << said;
    // The goroutines that existed before, and at least the goroutines that everything() creates
    // three times.
    EXPECT_GE(count(said, "GoStatusStack"), 20) << said;
    EXPECT_GE(count(said, "UserTaskBegin(request)"), 6) << said;
}

TEST_P(traced_programs, may_be_a_server_of_http_under_load) {
    ASSERT_TRUE(went_well(
        run_program("trace", {"http_server", path("http")}, {{"GOMAXPROCS", GetParam()}})));
    const std::string said = replay();
    EXPECT_GE(count(said, "generations"), 2) << said;
    EXPECT_GE(count(said, "UserTaskBegin(request)"), 16 * 60) << said;
    EXPECT_GE(count(said, "GoBlock(network)"), 100) << said;
    EXPECT_GE(count(said, "STWBegin(GOMAXPROCS)"), 1) << said;
}

TEST_P(traced_programs, may_be_traced_a_hundred_times_under_load) {
    ASSERT_TRUE(
        went_well(run_program("trace", {"repeatedly", directory_}, {{"GOMAXPROCS", GetParam()}})));
    const std::string said = replay();
    EXPECT_GE(count(said, "generations"), 100) << said.substr(0, 2000);
}

INSTANTIATE_TEST_SUITE_P(procs, traced_programs, testing::Values("1", "2", "16"));

TEST_F(traced_program, may_be_a_thread_outside_run) {
    ASSERT_TRUE(went_well(run_program("trace", {"from_a_thread", path("it")})));
    EXPECT_GE(count(replay(), "GoBlock(sleep)"), 1);
}

TEST_F(traced_program, may_not_start_a_trace_twice) {
    ASSERT_TRUE(went_well(run_program("trace", {"twice", path("it")})));
    EXPECT_GE(count(replay(), "GoBlock"), 1);
}

TEST_F(traced_program, is_told_what_the_file_system_says) {
    EXPECT_TRUE(went_well(run_program("trace", {"to_nowhere", directory_})));
}

TEST_F(traced_program, is_told_of_lost_events_and_has_a_whole_file) {
    ASSERT_TRUE(went_well(run_program("trace", {"too_fast", path("it")}, {{"GOMAXPROCS", "2"}})));
    const std::string said = replay();
    EXPECT_GE(count(said, "generations"), 1) << said;
    EXPECT_LT(count(said, "GoBlock"), 100'000) << said;
}

TEST_F(traced_program, has_a_flight_recorder_that_forgets) {
    const outcome o = run_program("trace", {"recorder", directory_}, {{"GOMAXPROCS", "2"}});
    ASSERT_TRUE(went_well(o));
    const int events = 2 * std::atoi(o.out.c_str());  // as many as the program prints
    ASSERT_GE(events, 4'000) << o;
    const std::string said = replay();
    EXPECT_GE(count(said, "UserTaskBegin(request)"), 6) << said;
    EXPECT_FALSE(fs::exists(path("none")));
    // The recorder forgets the events before the burst, and later the burst itself, when new events
    // come.
    const std::string first = check({path("first")}).out, second = check({path("second")}).out;
    EXPECT_EQ(count(first, "UserTaskBegin(request)"), 0) << first;
    EXPECT_GE(count(first, "GoBlock"), events) << first;
    EXPECT_GE(count(second, "UserTaskBegin(request)"), 3) << second;
    EXPECT_LT(count(second, "GoBlock"), events) << second;
}

TEST_F(traced_program, may_end_in_the_middle) {
    ASSERT_TRUE(went_well(run_program("trace", {"until_the_end", path("it")})));
    EXPECT_GE(count(replay(), "GoBlock"), 1);
}

TEST_F(traced_program, is_told_that_a_repeatable_schedule_cannot_be_traced) {
    const outcome o =
        run_program("trace", {"impossible", path("it")}, {{"GODEBUG", "schedseed=1"}});
    EXPECT_TRUE(ended_with(o, 0));  // stderr shows the number of steps
    EXPECT_FALSE(fs::exists(path("it")));
}

TEST_F(traced_program, is_told_that_one_whose_ps_cannot_be_taken_cannot_be_traced) {
    EXPECT_TRUE(
        went_well(run_program("trace", {"impossible", path("it")}, {{"GODEBUG", "asymmetric=0"}})));
    EXPECT_FALSE(fs::exists(path("it")));
}

TEST_F(traced_program, may_end_a_trace_in_a_bubble_and_begin_none) {
    ASSERT_TRUE(went_well(run_program("trace", {"in_a_bubble", directory_})));
    EXPECT_FALSE(fs::exists(path("none")));
    EXPECT_GE(count(replay(), "GoBlock(sleep)"), 1);
}

TEST_F(traced_program, is_told_in_the_child_of_a_fork_that_nobody_ends_a_trace) {
    ASSERT_TRUE(went_well(run_program("trace", {"in_a_child", path("it")})));
    EXPECT_GE(count(replay(), "GoBlock"), 1);
}

TEST_P(traced_programs, of_many_goroutines_tell_all_of_them_in_each_generation) {
    ASSERT_TRUE(
        went_well(run_program("trace", {"many", path("it")}, {{"GOMAXPROCS", GetParam()}})));
    const std::string said = replay();
    EXPECT_GE(count(said, "generations"), 4) << said;
    EXPECT_GE(count(said, "GoStatusStack"), 3 * 4'000) << said;
}

TEST_F(traced_program, may_log_long_texts_again_and_again) {
    ASSERT_TRUE(went_well(run_program("trace", {"texts", path("it")})));
    const std::string said = replay();
    EXPECT_GE(count(said, "UserLog"), 303) << said.substr(0, 2000);
    EXPECT_LE(count(said, "highest string of a log"), 64 + 16'384 + 110) << said.substr(0, 2000);
}

TEST_F(traced_program, is_told_that_there_is_no_memory_and_goes_on) {
    const outcome o = run_program("trace", {"out_of_memory", directory_});
    EXPECT_TRUE(ended_with(o, 0)) << o.err;
    EXPECT_GE(count(replay(), "UserLog(value)"), 2);
}

}  // namespace
