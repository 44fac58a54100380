// The deadlock detector must keep silent while work is only on its way (known bug 38).
#include <unistd.h>

#include <gtest/gtest.h>

#include <rota/rota.hpp>

namespace {

TEST(kb38_no_false_deadlock, while_the_monitor_takes_the_only_p_from_a_system_call) {
    // sysmon has taken the p and not handed it on yet; the goroutine comes back, finds no p,
    // queues, and its m sleeps: all ms sleep, nothing is wrong. A false report ends this process
    // with status 2. Interleaving: exitsyscall between retake_syscall_p and handoffp.
    rota::run([] {
        for (unsigned i = 0; i < 30'000; ++i) {
            rota::blocking([i] { ::usleep(i % 50); });
        }
    });
}

}  // namespace
