// Checks which queue has the next turn: the ring, the global queue, or the urgent queue.
#include <atomic>
#include <cstdio>

#include <gtest/gtest.h>
#include <rota/go.hpp>
#include <rota/runtime.hpp>
#include <rota/sync.hpp>

#include "../../gomaxprocs_restored.hpp"
#include "sched/base/park.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/queue/run_queue.hpp"
#include "sched/queue/switch.hpp"

namespace rota::rt {
namespace {

// The caller gives its p away, and waits for its turn in the urgent queue.
void wait_in_a_hurry() {
    const runtime_entry entry;
    gopark(
        [](g& gp, void*) {
            casgstatus(gp, g_status::waiting, g_status::runnable);
            const lock_guard guard(sched.mu);
            global_put_urgent(gp);
            return true;
        },
        nullptr, wait_reason::none);
}

// As above, in the ring, also while goroutines wait in other queues.
void wait_in_ring() {
    const runtime_entry entry;
    goyield();
}

using put_function = void (*)(g&);

// Gives the p to the goroutine that the whole search finds, not only in the ring; the caller waits
// where Put puts it.
template <put_function Put>
ROTA_NOINLINE ROTA_SWITCHES_STACK void search_next() {
    m& self = getm();
    casgstatus(*self.curg, g_status::running, g_status::runnable);
    leave_g(self, *self.curg, [](m&, g& prev) { Put(prev); }, false, next_by::search);
}

// As above after a time slice, as if the caller had computed for as long as it may.
template <put_function Put>
void use_up_slice() {
    const runtime_entry entry;
    getm().pp->slice_over = true;
    search_next<Put>();
}

void put_in_ring(g& gp) { runq_put(*getm().pp, gp, false); }

void put_in_global_queue(g& gp) {
    const lock_guard guard(sched.mu);
    global_put(gp);
}

TEST(kb10_turns, one_of_eight_is_for_those_in_a_hurry_where_turns_are_short) {
    // Otherwise only the 61st tick would look in the urgent queue, as it does in the global queue.
    constexpr int rounds = 500, others = 20;
    const rota_test::gomaxprocs_restored restored;
    runtime::gomaxprocs(1);
    std::atomic<int> turns{0};
    int waited = 0;
    run([&] {
        std::atomic<bool> over{false};
        wait_group group;
        for (int i = 0; i < others; ++i) {
            group.go([&] {
                while (!over) {
                    ++turns;
                    wait_in_ring();
                }
            });
        }
        while (turns < others) runtime::gosched();
        for (int i = 0; i < rounds; ++i) {
            const int before = turns;
            wait_in_a_hurry();
            waited += turns - before;
        }
        over = true;
        group.wait();
    });
    EXPECT_GT(waited, rounds) << "nobody else was there";
    EXPECT_LT(waited, 16 * rounds);
    std::printf("%d turns of others before each of its own\n", waited / rounds);
}

TEST(kb10_turns, behind_a_slice_are_the_rings_and_the_global_queues_by_turns) {
    // Goroutines that have used up their slices go to the global queue while a goroutine waits
    // there. If that queue came first each time, they would take turns among themselves, and the
    // ring have none.
    constexpr int rounds = 2000, each = 3;
    const rota_test::gomaxprocs_restored restored;
    runtime::gomaxprocs(1);
    std::atomic<int> in_ring{0}, in_global{0};
    run([&] {
        wait_group group;
        for (int i = 0; i < each; ++i) {
            group.go([&] {
                while (in_global < rounds) {
                    ++in_ring;
                    use_up_slice<put_in_ring>();
                }
            });
            group.go([&] {
                while (in_global < rounds) {
                    ++in_global;
                    use_up_slice<put_in_global_queue>();
                }
            });
        }
        group.wait();
    });
    std::printf("%d turns of the ring, %d of the global queue\n", in_ring.load(), in_global.load());
    EXPECT_GT(in_ring, rounds / 4);
    EXPECT_LT(in_ring, rounds * 4);
}

}  // namespace
}  // namespace rota::rt
