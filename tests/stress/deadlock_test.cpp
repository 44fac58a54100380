// The deadlock detector must keep silent while work is only on its way (known bug 38).
#include "../slow_call.hpp"
#include "load.hpp"

namespace {

TEST(kb38_no_false_deadlock, while_the_monitor_takes_the_only_p_from_a_system_call) {
    // sysmon has taken the p and not handed it on yet; the goroutine comes back, finds no p,
    // queues, and its m sleeps: all ms sleep, nothing is wrong. A false report ends this process
    // with status 2. Interleaving: exitsyscall between retake_syscall_p and handoffp.
    rota::run([] {
        for (int i = rota_test::by_effort(30'000); i > 0; --i)
            rota_test::sit_in_a_call(static_cast<unsigned>(i % 50));
    });
}

}  // namespace
