// Threads of the runtime have the program's signal mask; the end of static objects is quiet.
#include "child.hpp"

using namespace rota_test;

namespace {

outcome run_inherit(const char* what, const char* procs) {
    return run_program("inherit", {what}, {{"GOMAXPROCS", procs}});
}

TEST(inherit, threads_that_sysmon_starts_block_no_signals) {
    EXPECT_TRUE(went_well(run_inherit("signal_mask", "1")));
    EXPECT_TRUE(went_well(run_inherit("signal_mask", "2")));
}

TEST(kb59_inherit, a_static_channel_may_have_waiters_at_the_end) {
    EXPECT_TRUE(went_well(run_inherit("static_channel", "1")));
    EXPECT_TRUE(went_well(run_inherit("static_channel", "4")));
}

}  // namespace
