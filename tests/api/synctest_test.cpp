// rota::synctest: virtual time, waits until a bubble is quiet, and ends of bubbles.
#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include <rota/runtime.hpp>
#include <rota/synctest.hpp>

#include "anywhere.hpp"

namespace {

using namespace rota_test;
using namespace std::chrono_literals;
using rota::clock;

TEST_ANYWHERE(synctest, lets_time_leap_while_all_sleep) {
    // With the real clock this would take a day; a clock that leaps too far makes a sleep too long.
    rota::synctest::test([] {
        const auto start = clock::now();
        rota::sleep_for(24h);
        EXPECT_EQ(clock::now() - start, 24h);
        rota::wait_group wg;
        std::vector<int> order;
        for (int i = 5; i > 0; --i) {
            wg.go([&, i] {
                rota::sleep_for(std::chrono::hours(i));
                EXPECT_EQ(clock::now() - start, 24h + std::chrono::hours(i));
                order.push_back(i);
            });
        }
        wg.wait();
        EXPECT_EQ(order, (std::vector{1, 2, 3, 4, 5}));
    });
}

TEST_ANYWHERE(synctest, time_stands_still_while_somebody_can_run) {
    // A clock that moves while a goroutine computes or yields would show between two looks.
    rota::synctest::test([] {
        rota::go([] { rota::sleep_for(1s); });
        const auto start = clock::now();
        for (int i = 0; i < 200; ++i) rota::runtime::gosched();
        EXPECT_EQ(clock::now(), start);
        rota::sleep_for(2s);  // the first goroutine must end before this function does
    });
}

TEST_ANYWHERE(synctest, wait_returns_when_the_others_are_blocked) {
    // If wait returns too early, the flag is not set yet; if it never returns, the watchdog ends
    // the test.
    rota::synctest::test([] {
        for (int round = 0; round < 50; ++round) {
            bool ran = false;
            auto ch = rota::make_chan<int>();
            rota::go([&ran, ch] {
                for (int i = 0; i < 5; ++i) rota::runtime::gosched();
                ran = true;
                ch.recv();
            });
            rota::synctest::wait();
            EXPECT_TRUE(ran);
            ch.send(1);
            rota::synctest::wait();
        }
    });
}

TEST_ANYWHERE(synctest, knows_every_durable_wait) {
    // A wait that is not recognised as durable keeps the clock from moving: the test would hang.
    rota::synctest::test([] {
        auto full = rota::make_chan<int>(1);
        full.send(0);
        auto a = rota::make_chan<int>(), b = rota::make_chan<int>();
        rota::wait_group group;
        group.add(1);
        rota::mutex mu;
        rota::condition_variable cv;
        bool go_on = false;
        rota::wait_group all;
        all.go([&] { full.send(1); });
        all.go([&] { (void)a.recv(); });
        all.go([&] { rota::select(rota::on_recv(a, [](auto) {}), rota::on_recv(b, [](auto) {})); });
        all.go([&] { group.wait(); });
        all.go([&] {
            std::unique_lock lock(mu);
            cv.wait(lock, [&] { return go_on; });
        });
        all.go([&] { rota::async([&] { (void)b.recv(); }).get(); });
        rota::sleep_for(1h);
        full.recv();
        a.close();
        b.close();
        group.done();
        {
            const std::lock_guard lock(mu);
            go_on = true;
        }
        cv.notify_all();
        all.wait();
    });
}

TEST_ANYWHERE(synctest, timers_that_are_due_when_they_are_set_move_no_time) {
    rota::synctest::test([] {
        const auto start = rota::clock::now();
        rota::timer t(0s);
        EXPECT_EQ(t.c().recv(), start);
        t.reset(-1h);
        EXPECT_EQ(t.c().recv(), start);
        bool called = false;
        rota::timer f = rota::after_func(0s, [&] { called = true; });
        rota::synctest::wait();
        EXPECT_TRUE(called);
        EXPECT_EQ(rota::clock::now(), start);
        // The timer's goroutine belongs to the bubble: its sleep moves the bubble's time.
        auto slept = rota::make_chan<rota::unit>(1);
        rota::after_func(0s, [&] {
            rota::sleep_for(24h);
            slept.send({});
        });
        slept.recv();
        EXPECT_EQ(rota::clock::now(), start + 24h);
    });
}

TEST_ANYWHERE(synctest, does_not_move_time_while_one_waits_outside) {
    // The channel is from outside: its sender acts in real time, and no timer may come first.
    auto outside = rota::make_chan<int>();
    auto ready = rota::make_chan<rota::unit>(1);
    rota::go([=] {
        ready.recv();
        outside.send(7);
    });
    rota::synctest::test([=] {
        const auto start = clock::now();
        rota::go([] { rota::sleep_for(1h); });
        rota::synctest::wait();
        ready.send({});
        EXPECT_EQ(outside.recv(), 7);
        EXPECT_EQ(clock::now(), start);
        rota::sleep_for(2h);
    });
}

TEST_ANYWHERE(synctest, moves_time_behind_what_might_have_waited_outside) {
    // A goroutine that sets the number of processors may have to wait for another that does; here
    // there is none.
    const int n = rota::runtime::gomaxprocs();
    rota::synctest::test([n] {
        const auto start = clock::now();
        rota::runtime::gomaxprocs(n);
        rota::sleep_for(1h);
        EXPECT_EQ(clock::now(), start + 1h);
    });
    rota::runtime::set_default_gomaxprocs();
}

TEST_ANYWHERE(synctest, runs_timers_in_virtual_time) {
    rota::synctest::test([] {
        const auto start = clock::now();
        EXPECT_EQ(rota::after(3s).recv().value() - start, 3s);
        const rota::ticker tick(1min);
        for (int i = 1; i <= 3; ++i) EXPECT_EQ(tick.c().recv().value() - start, 3s + i * 1min);
        tick.stop();
        int ran = 0;
        const rota::timer t = rota::after_func(1h, [&] { ++ran; });
        rota::sleep_for(1h - 1ns);
        rota::synctest::wait();
        EXPECT_EQ(ran, 0);
        rota::sleep_for(1ns);
        rota::synctest::wait();
        EXPECT_EQ(ran, 1);
        EXPECT_FALSE(t.stop());
        auto ch = rota::make_chan<int>();
        int got = 0;
        EXPECT_EQ(ch.recv_for(got, 2h), rota::chan_status::timeout);
        auto [ctx, cancel] = rota::with_timeout(rota::background(), 5s);
        ctx.done().recv();
        EXPECT_EQ(ctx.err(), rota::context_errc::deadline_exceeded);
    });
}

TEST_ANYWHERE(synctest, passes_exceptions_on) {
    EXPECT_THROW(rota::synctest::test([] { throw std::runtime_error("mine"); }),
                 std::runtime_error);
    EXPECT_EQ(panic_of([] { rota::synctest::test([] { rota::panic("yours"); }); }), "yours");
}

TEST_ANYWHERE(synctest, waits_for_all_goroutines) {
    std::atomic<int> ended{0};  // atomic: the goroutines run at the same time
    rota::synctest::test([&] {
        auto ch = rota::make_chan<int>();
        for (int i = 0; i < 10; ++i) {
            rota::go([&, ch] {
                ch.recv();
                ++ended;
            });
        }
        ch.close();
    });
    EXPECT_EQ(ended, 10);
}

TEST_ANYWHERE(synctest, says_when_all_are_blocked_for_ever) {
    leaves_behind(2);
    EXPECT_EQ(panic_of([] { rota::synctest::test([] { rota::make_chan<int>().recv(); }); }),
              "deadlock: all goroutines in bubble are blocked");
    EXPECT_EQ(panic_of([] {
                  rota::synctest::test([] { rota::go([] { rota::make_chan<int>().recv(); }); });
              }),
              "deadlock: main bubble goroutine has exited but blocked goroutines remain");
}

TEST_ANYWHERE(synctest, refuses_to_be_nested_or_used_outside) {
    EXPECT_EQ(panic_of([] { rota::synctest::wait(); }), "goroutine is not in a bubble");
    EXPECT_EQ(panic_of([] { rota::synctest::test([] { rota::synctest::test([] {}); }); }),
              "synctest: test called from within a synctest bubble");
    rota::synctest::test([] {
        rota::go([] { rota::synctest::wait(); });
        rota::runtime::gosched();
        rota::sleep_for(1ns);
    });
}

TEST_ANYWHERE(synctest, many_bubbles_run_side_by_side) {
    rota::wait_group all;
    for (int i = 0; i < scaled(200); ++i) {
        all.go([i] {
            rota::synctest::test([i] {
                const auto start = clock::now();
                rota::wait_group wg;
                for (int k = 0; k < 5; ++k) wg.go([=] { rota::sleep_for(k * 1s + i * 1ms); });
                wg.wait();
                EXPECT_EQ(clock::now() - start, 4s + i * 1ms);
            });
        });
    }
    all.wait();
}

}  // namespace
