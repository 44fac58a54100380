// Tests preemption if the kernel, or a filter of system calls, refuses membarrier.
#include <cerrno>

#include "child.hpp"

using namespace rota_test;

namespace {

class no_membarrier : public testing::TestWithParam<const char*> {
  protected:
    static outcome run(const char* name, int error = EPERM) {
        return run_program("no_membarrier", {name, std::to_string(error)},
                           {{"GOMAXPROCS", GetParam()}});
    }
    // The child ended well, with a single line: it says that membarrier is refused, and gives the
    // remedy.
    static void expect_well(const outcome& o, int error = EPERM) {
        if (o.status == 97) {  // for example under a filter that forbids filters
            std::puts("no filter of system calls may be set here");
            return;
        }
        EXPECT_TRUE(ended_with(o, 0));
        const std::string line =
            "rota: the system call membarrier is refused (errno=" + std::to_string(error) + "): ";
        EXPECT_EQ(o.lines_with(line), 1) << o;
        EXPECT_EQ(o.err.find('\n'), o.err.size() - 1) << o;
    }
};

}  // namespace

TEST_P(no_membarrier, goroutines_that_compute_are_preempted) {
    // Fails if they keep their processors for ever without a report.
    if (under_tsan) return;  // signals come late under tsan
    expect_well(run("hogs"));
    expect_well(run("hogs", ENOSYS), ENOSYS);
}

TEST_P(no_membarrier, goroutines_that_block_unannounced_lose_their_processors) {
    // A second check: no signal ends their calls.
    expect_well(run("blocked"));
}

TEST_P(no_membarrier, world_stops_while_all_compute) {
    if (under_tsan) return;
    expect_well(run("stops"));
}

TEST_P(no_membarrier, nothing_is_lost_where_takers_meet_the_runtime) {
    // Fails if an m that enters while its p is taken continues without it, or if two ms hold the
    // same p.
    expect_well(run("traffic"));
}

TEST_P(no_membarrier, done_without_on_purpose_is_silent) {
    const outcome o = run_program("no_membarrier", {under_tsan ? "blocked" : "hogs", "0"},
                                  {{"GOMAXPROCS", GetParam()}, {"GODEBUG", "asymmetric=0"}});
    EXPECT_TRUE(went_well(o));
}

INSTANTIATE_TEST_SUITE_P(at, no_membarrier, testing::Values("1", "2", "6"));

TEST(preemption_mode, is_a_metric) {
    const auto said = [](int error, const char* debug) {
        return run_program("no_membarrier", {"mode", std::to_string(error)}, {{"GODEBUG", debug}});
    };
    EXPECT_EQ(said(0, "").out, "2 0\n");
    EXPECT_EQ(said(0, "asymmetric=0").out, "1 0\n");
    EXPECT_EQ(said(0, "asyncpreemptoff=1").out, "0 0\n");
    const outcome refused = said(EPERM, "");
    if (refused.status == 0) {
        EXPECT_EQ(refused.out, "1 1\n");
    }
}
