// Large thread-local variables: glibc keeps them on each thread's stack.
#include "child.hpp"

using namespace rota_test;

TEST(static_tls, goroutines_are_preempted_beside_large_thread_local_variables) {
    // The thread that preemption needs asked for a stack without room for them, was refused, and
    // nothing was said.
    if (under_tsan) return;  // signals come late there
    EXPECT_TRUE(went_well(run_program("static_tls", {"hogs"})));
}

TEST(static_tls, thread_is_locked_beside_large_thread_local_variables) {
    // The same refusal ended the program, with advice about ulimit.
    EXPECT_TRUE(went_well(run_program("static_tls", {"locks_thread"})));
}

TEST(static_tls, frames_have_as_much_room_as_without_them) {
    EXPECT_TRUE(went_well(run_program("static_tls", {"own_thread"})));
}
