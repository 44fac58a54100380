// Kernel threads: how long they sleep.
#include "sys/thread/thread.hpp"

#include <csignal>

#include <gtest/gtest.h>
#include <sys/time.h>

#include "sys/call/clock.hpp"

namespace rota::rt {
namespace {

extern "C" void count_alarm(int) {}

TEST(kb08_thread_sleep, ends_under_signals) {
    // A sleep that is taken up again with what nanosleep says is left never ends under signals that
    // come faster than the timer's slack. Then this test does not end either.
    struct sigaction action{};
    action.sa_handler = count_alarm;
    ::sigaction(SIGALRM, &action, nullptr);
    const itimerval every{{0, 20}, {0, 20}};
    const itimerval never{};
    constexpr long nap = 20'000'000;
    const std::int64_t start = nanotime();
    ::setitimer(ITIMER_REAL, &every, nullptr);
    thread_sleep_ns(nap);
    ::setitimer(ITIMER_REAL, &never, nullptr);  // one may be on its way still: the handler stays
    EXPECT_GE(nanotime() - start, nap);
}

}  // namespace
}  // namespace rota::rt
