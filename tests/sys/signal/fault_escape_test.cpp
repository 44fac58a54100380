// Checks calls in signal handlers that may read unmapped memory.
//
// What could go wrong: the fault ends the process, or returns into the call for ever. The mask of
// signals stays as it was in the handler of the fault. A later fault of the program is taken for a
// fault of the call.
#include "sys/signal/fault_escape.hpp"

#include <csignal>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <rota/go.hpp>

#include "base/annotations.hpp"

namespace rota::rt {
namespace {

bool blocks(int signal) {
    sigset_t now;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &now);
    return ::sigismember(&now, signal) == 1;
}

TEST(fault_escape, leaves_a_call_that_meets_a_fault_and_no_other) {
#if ROTA_ASAN || ROTA_TSAN
    GTEST_SKIP() << "faults are the sanitizer's";
#endif
    run([] {
        const long page = ::sysconf(_SC_PAGESIZE);
        void* const nothing = ::mmap(nullptr, static_cast<std::size_t>(page), PROT_NONE,
                                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        ASSERT_NE(nothing, MAP_FAILED);
        struct reads {
            const volatile char* from;
            bool came_back = false;
        };
        const auto read = [](void* arg) {
            auto& r = *static_cast<reads*>(arg);
            (void)*r.from;
            r.came_back = true;
        };
        const char there = 1;
        for (int i = 0; i < 3; ++i) {
            reads bad{static_cast<const char*>(nothing)};
            EXPECT_FALSE(try_call(read, &bad));
            EXPECT_FALSE(bad.came_back);
            EXPECT_FALSE(blocks(SIGSEGV));
            EXPECT_FALSE(blocks(SIGUSR1));
            reads good{&there};
            EXPECT_TRUE(try_call(read, &good));
            EXPECT_TRUE(good.came_back);
        }
        leave_try_call();  // no thread is in a call: does nothing
        ::munmap(nothing, static_cast<std::size_t>(page));
    });
}

}  // namespace
}  // namespace rota::rt
