// Checks that changes of a goroutine to its locked thread affect no other goroutine.
#include "child.hpp"

using namespace rota_test;

TEST(kb39_lock_os_thread, spoiled_thread_serves_nobody_and_begets_no_thread) {
    // A new thread inherits from the thread that creates it, and a goroutine sees the state of its
    // thread. Fails if the child finds goroutines in a directory that only a single goroutine has
    // entered.
    for (const char* procs : {"1", "2", "4"}) {
        const outcome o = run_program("lock_thread", {"spoiled"}, {{"GOMAXPROCS", procs}});
        EXPECT_TRUE(went_well(o)) << o;
        if (o.out != "wrong=0\n") std::printf("%s", o.out.c_str());
    }
}
