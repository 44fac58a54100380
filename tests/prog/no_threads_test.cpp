// What is said where the kernel makes no thread any more.
#include "child.hpp"

using namespace rota_test;

TEST(no_threads, preemption_that_is_off_is_told_once) {
    // A goroutine that computes would keep its processor, and nothing would say why.
    if (under_tsan) return;  // signals come late there
    if (under_asan) GTEST_SKIP() << "LeakSanitizer makes a thread when the process ends";
    const outcome o = run_program("no_threads", {"computes"});
    if (o.status == 97) {
        std::puts("no filter of system calls may be set here");
        return;
    }
    EXPECT_TRUE(ended_with(o, 0));
    EXPECT_EQ(o.lines_with("rota: a thread without which no goroutine can be preempted is refused "
                           "(errno=11): "),
              1)
        << o;
}
