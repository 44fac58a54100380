// Checks GOMAXPROCS above the number of cores: each p with queued work gets a thread.
#include <atomic>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>
#include <rota/go.hpp>
#include <rota/runtime.hpp>
#include <rota/sync.hpp>

#include "../../gomaxprocs_restored.hpp"
#include "core/sched.hpp"

namespace rota::rt {
namespace {

using namespace std::chrono_literals;

// No p is idle, and no m that only looks for work holds a p.
bool do_all_work() {
    return sched.idle_p_count.load(memory_order_relaxed) == 0 &&
           sched.nmspinning.load(memory_order_relaxed) == 0;
}

TEST(procs_beyond_the_cores, all_have_a_thread_when_as_many_goroutines_compute) {
    // A woken thread that waits for a core could keep further threads from being woken, or the last
    // of them could wake no successor. Then ps stay idle while goroutines wait in the rings of
    // other ps.
    static constexpr int count = 10;
    run([] {
        const rota_test::gomaxprocs_restored at_end;
        runtime::gomaxprocs(count);
        std::atomic<bool> over{false};
        wait_group hogs;
        for (int i = 0; i < count; ++i) {
            hogs.go([&] {
                while (!over.load(std::memory_order_relaxed)) {
                }
            });
        }
        std::thread watch([&] {  // it takes no p
            const auto until = std::chrono::steady_clock::now() + 30s;
            while (!do_all_work() && std::chrono::steady_clock::now() < until)
                std::this_thread::sleep_for(1ms);
            EXPECT_TRUE(do_all_work())
                << sched.idle_p_count.load(memory_order_relaxed) << " of " << count
                << " ps are idle, " << sched.nmspinning.load(memory_order_relaxed)
                << " ms look for work, " << sched.runq_size.load(memory_order_relaxed)
                << " goroutines are in the global queue";
            over = true;
        });
        hogs.wait();
        watch.join();
    });
}

}  // namespace
}  // namespace rota::rt
