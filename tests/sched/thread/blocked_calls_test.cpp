// A goroutine that blocks in most of its calls hands its p on by itself (sched/thread/syscall).
#include <atomic>

#include <gtest/gtest.h>
#include <rota/go.hpp>
#include <rota/runtime.hpp>
#include <rota/sync.hpp>

#include "core/getg.hpp"
#include "core/sched.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/thread/syscall.hpp"
#include "sys/call/clock.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {
namespace {

bool is_old_p_in_call() {
    return getm().old_p->status.load(memory_order_relaxed) == p_status::syscall;
}

// Announces a call that lasts until its p is gone. True: it was gone at the beginning. -1: it did
// not go within five seconds.
int call_until_p_is_gone() {
    {
        const runtime_entry inside;
    }  // it may have come out of the last call without a p
    entersyscall();
    const bool at_once = !is_old_p_in_call();
    const std::int64_t end = nanotime() + 5'000'000'000;
    while (is_old_p_in_call() && nanotime() < end) thread_sleep_ns(20'000);
    const bool gone = !is_old_p_in_call();
    thread_sleep_ns(100'000);  // no short call
    exitsyscall();
    return !gone ? -1 : at_once ? 1 : 0;
}

TEST(blocked_calls, hand_the_p_on_from_the_third_in_a_row) {
    run([] {
        // Somebody always waits for the p.
        std::atomic<bool> over{false};
        wait_group waiter;
        waiter.go([&] {
            while (!over) runtime::gosched();
        });
        EXPECT_GE(call_until_p_is_gone(), 0);
        EXPECT_GE(call_until_p_is_gone(), 0);
        EXPECT_EQ(call_until_p_is_gone(), 1);
        EXPECT_EQ(call_until_p_is_gone(), 1);
        over = true;
        waiter.wait();
    });
}

TEST(blocked_calls, keep_the_p_again_after_short_ones) {
    run([] {
        g& self = *getm().curg;
        self.blocked_calls = 2;
        int kept = 0;
        // A call may be held up by another program; one that was not makes the next keep its p.
        for (int i = 0; i < 1000 && kept == 0; ++i) {
            entersyscall();
            if (is_old_p_in_call()) ++kept;
            exitsyscall();
            runtime::gosched();  // it may have gone on without a p
        }
        EXPECT_EQ(kept, 1);
    });
}

}  // namespace
}  // namespace rota::rt
