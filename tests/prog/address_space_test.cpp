// Programs under a limit on their address space.
#include "child.hpp"

using namespace rota_test;

TEST(address_space, of_100_mb_is_enough_and_more_is_too) {
    // Arenas of stacks take all that there is, and the runtime's threads and the heap get nothing;
    // or a larger limit makes an arena larger, so that the program fails where it ran before.
    if (!plain_build) {
        std::printf("address_space: not shown: sanitizers reserve terabytes\n");
        return;
    }
    for (const char* kind : {"as", "data"}) {
        for (const int mb : {100, 115, 130, 145, 160, 200, 260, 330, 500, 1000, 1200, 2000, 4000}) {
            const char* const procs = mb % 2 == 0 ? "4" : "1";
            const outcome o =
                run_program("address_space", {kind, std::to_string(mb)}, {{"GOMAXPROCS", procs}});
            EXPECT_TRUE(went_well(o)) << kind << " " << mb << " MB";
        }
    }
}
