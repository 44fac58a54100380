// What a goroutine does to its thread, where it is locked to it, is no other goroutine's business.
#include "child.hpp"

using namespace rota_test;

TEST(kb39_lock_os_thread, spoiled_thread_serves_nobody_and_begets_no_thread) {
    // A thread inherits from the one that makes it, and a goroutine from the one that it runs on:
    // the child finds goroutines in a directory that only one of them has gone to.
    for (const char* procs : {"1", "2", "4"}) {
        const outcome o = run_program("lock_thread", {"spoiled"}, {{"GOMAXPROCS", procs}});
        EXPECT_TRUE(went_well(o)) << o;
        if (o.out != "wrong=0\n") std::printf("%s", o.out.c_str());
    }
}
