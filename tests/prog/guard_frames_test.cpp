// Frames of libraries that were compiled without stack probes, over the end of a stack.
#include <cstdlib>

#include "child.hpp"

using namespace rota_test;

namespace {

// KiB: libpq, hiredis, libc, libpython, libldap.
constexpr std::size_t frame_sizes[] = {8, 16, 32, 64, 131};

// The process has reported an overflow of its stack by so much, and no neighbour has lost a byte.
testing::AssertionResult was_stopped(const outcome& o, std::size_t beyond) {
    const std::string by = " lies " + std::to_string((beyond + 1023) / 1024) + " KiB below the end";
    const std::string more =
        " lies " + std::to_string((beyond + 1279) / 1024) + " KiB below the end";
    if (o.timed_out || o.status != 2) return testing::AssertionFailure() << "status of " << o;
    if (!o.says("fatal error: stack overflow\n")) return testing::AssertionFailure() << o;
    if (!o.says(by) && !o.says(more)) return testing::AssertionFailure() << by << " in " << o;
    if (o.out != "neighbours touched: 0\n") return testing::AssertionFailure() << o;
    return testing::AssertionSuccess();
}

}  // namespace

TEST(kb58_guard_frames, of_unprobed_libraries_end_in_a_report_and_touch_no_neighbour) {
    // A frame that is larger than the guard passes it: the call writes into the neighbour's stack,
    // and nobody is told. The frame's low end walks from the first byte beyond the end to as far as
    // such a frame can reach. 1,000 processes with ROTA_TEST_LONG.
    const std::size_t steps = std::getenv("ROTA_TEST_LONG") != nullptr ? 200 : 3;
    for (const std::size_t kb : frame_sizes) {
        const std::size_t first = 64, last = kb * 1024 - 512;
        for (std::size_t i = 0; i < steps; ++i) {
            const std::size_t beyond = first + (last - first) * i / (steps - 1);
            const outcome o =
                run_program("guard_frames", {std::to_string(kb), std::to_string(beyond)},
                            {{"GOMAXPROCS", i % 2 == 0 ? "1" : "2"}});
            ASSERT_TRUE(was_stopped(o, beyond)) << kb << " KB, " << beyond << " bytes beyond";
        }
    }
}
