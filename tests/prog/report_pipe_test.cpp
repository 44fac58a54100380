// Reports to a pipe that does not block: nothing is cut off, and nobody waits for ever.
#include "child.hpp"

using namespace rota_test;

namespace {

double seconds_of(const char* name) {
    const outcome o = run_program("report_pipe", {name});
    EXPECT_TRUE(went_well(o));
    return o.seconds;
}

}  // namespace

TEST(report_pipe, reader_that_comes_late_gets_all_of_a_crash_report) {
    // The report would end where the pipe was full.
    seconds_of("late_reader");
}

TEST(report_pipe, reader_that_never_comes_does_not_keep_the_process) {
    // Each piece of the report could wait again. 30 s is what a slow reader gets.
    const double took = seconds_of("no_reader");
    if (plain_build) {
        EXPECT_LT(took, 15);
    }
}

TEST(report_pipe, reader_that_goes_costs_the_report) { seconds_of("reader_goes"); }

TEST(report_pipe, full_pipe_does_not_stop_sysmon) {
    // It writes the lines of schedtrace, and takes processors from goroutines that compute.
    seconds_of("no_reader_of_schedtrace");
}
