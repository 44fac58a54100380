// Selects by the hundred thousand: the remains of the cases that lose.
#include "anywhere.hpp"
#include "memory.hpp"

using rota::on_recv;
using rota::on_send;
using rota_test::scheduler_state;

TEST_ANYWHERE(kb25_select, a_hundred_thousand_that_lose_leave_nothing_behind) {
    // Each losing case could leave a waiter queued, or allocated and forgotten. 100,000 waiters
    // would take 5 MB at least, and a send without a receiver would find one.
    constexpr int many = rota_test::scaled(100'000);
    const auto quiet = rota::make_chan<int>();
    const auto silent = rota::make_chan<int>();
    const auto busy = rota::make_chan<int>();
    rota::wait_group wg;
    wg.go([busy] {
        for (int i = 0; i < many / 10 + many; ++i) busy.send(i);
    });
    const auto lose = [&](int n) {
        for (int i = 0; i < n; ++i) {
            ASSERT_EQ(rota::select(on_recv(quiet), on_recv(busy), on_send(silent, i)), 1u);
        }
    };
    lose(many / 10);
    const long before = rota_test::resident_kib();
    lose(many);
    const long grown = rota_test::resident_kib() - before;
    wg.wait();
    if (!rota_test::under_asan && !rota_test::under_tsan) {  // they keep freed memory
        EXPECT_LT(grown, 3 * 1024) << scheduler_state();
    }
    int none = 0;
    EXPECT_EQ(quiet.try_send(1), rota::chan_status::would_block);
    EXPECT_EQ(silent.try_recv(none), rota::chan_status::would_block);
    EXPECT_EQ(busy.try_send(1), rota::chan_status::would_block);
}
