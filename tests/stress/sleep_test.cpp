// Timers under load: sleepers by the thousand, ends that coincide, signals in between.
#include <algorithm>
#include <atomic>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "load.hpp"
#include "signal_storm.hpp"

using rota_test::choices;
using rota_test::progress;
using rota_test::scheduler_state;
using rota_test::signal_storm;
using rota_test::time_box;

TEST(sleep_stress, ten_thousand_sleepers_all_come_back_and_none_too_early) {
    // A timer could be lost in a growing heap, with a stolen goroutine, or with a sleeping poller.
    // Then a sleeper would never come back; one woken by another's timer would come too early.
    constexpr int many = rota_test::live_goroutines_max < 10'000 ? 2500 : 10'000;
    const time_box box(std::chrono::milliseconds(2000));
    progress watch(1);
    std::uint64_t round = 0;
    do {
        std::atomic<int> early{0};
        std::atomic<std::int64_t> latest_ns{0};
        rota::run([&] {
            rota::wait_group wg;
            choices choose(41 + round++);
            for (int i = 0; i < many; ++i) {
                const auto d = std::chrono::microseconds(choose.below(300'000));
                wg.go([&, d] {
                    const auto end = rota::clock::now() + d;
                    rota::sleep_until(end);
                    const auto late = rota::clock::now() - end;
                    if (late.count() < 0) ++early;
                    std::int64_t seen = latest_ns;
                    while (seen < late.count() &&
                           !latest_ns.compare_exchange_weak(seen, late.count())) {
                    }
                });
            }
            wg.wait();
        });
        ASSERT_EQ(early, 0);
        std::printf("latest of %d: %.2f ms\n", many, static_cast<double>(latest_ns) / 1e6);
        watch.step(0);
    } while (box.open());
}

TEST(kb17_stolen_sleepers, ends_of_the_same_moment_wake_each_once) {
    // A goroutine that has been stolen could still be linked where it slept before.
    // Then it would be woken twice, which a check catches, or not at all.
    constexpr std::size_t workers = 64;
    const time_box box(std::chrono::milliseconds(1500));
    progress watch(workers);
    rota::wait_group wg;
    for (std::size_t id = 0; id < workers; ++id) {
        wg.go([&, id] {
            while (box.open()) {
                // All wake at the same multiples of 100 us.
                const auto now = rota::clock::now().time_since_epoch().count();
                const auto when = rota::clock::time_point(
                    std::chrono::nanoseconds(now / 100'000 * 100'000 + 100'000));
                rota::sleep_until(when);
                EXPECT_GE(rota::clock::now(), when);
                watch.step(id);
                if (id % 4 == 0) rota::runtime::gosched();
            }
            watch.finish(id);
        });
    }
    wg.wait();
}

TEST(kb13_timers, are_not_starved_by_goroutines_that_keep_every_processor) {
    // A timer tied to a processor that is always busy could fire much too late, or never.
    // Then the sleepers' counts would stand still.
    constexpr std::size_t sleepers = 4;
    const time_box box;
    std::atomic<bool> stop{false};
    rota::wait_group busy;
    auto ping = rota::make_chan<int>();
    for (int i = 0; i < rota::runtime::gomaxprocs(0); ++i) {
        busy.go([&] {
            while (!stop) rota::runtime::gosched();
        });
        busy.go([&, ping] {
            while (!stop) {
                if (ping.try_send(1) != rota::chan_status::ok) rota::runtime::gosched();
            }
        });
        busy.go([&, ping] {
            int v = 0;
            while (!stop) {
                if (ping.try_recv(v) != rota::chan_status::ok) rota::runtime::gosched();
            }
        });
    }
    progress watch(sleepers);
    rota::wait_group wg;
    for (std::size_t id = 0; id < sleepers; ++id) {
        wg.go([&, id] {
            while (box.open()) {
                rota::sleep_for(id % 2 == 0 ? std::chrono::microseconds(1)
                                            : std::chrono::microseconds(5000));
                watch.step(id);
            }
            watch.finish(id);
        });
    }
    wg.wait();
    stop = true;
    busy.wait();
}

TEST(kb27_earlier_timers, wake_the_poller_that_sleeps_for_a_later_one) {
    // The sleeping poller knows the earliest moment of when it went to sleep.
    // If an earlier timer did not wake it, the short sleep would last as long as the long one: far
    // longer than a busy machine could make it. In chaos mode threads starve for two seconds.
    constexpr std::chrono::milliseconds nap{1000};
    const time_box box;
    choices choose(43);
    progress watch(1);
    std::atomic<bool> stop{false};
    rota::run([&] {
        rota::wait_group wg;
        wg.go([&] {
            while (!stop) rota::sleep_for(nap);
        });
        while (box.open()) {
            const auto start = rota::clock::now();
            rota::sleep_for(std::chrono::microseconds(choose.below(1000)));
            const auto took =
                std::chrono::duration_cast<std::chrono::milliseconds>(rota::clock::now() - start);
            if (!rota_test::in_chaos()) {
                EXPECT_LT(took, nap * 9 / 10) << took.count() << " ms; " << scheduler_state();
            }
            watch.step(0);
        }
        stop = true;
        wg.wait();
    });
}

TEST(kb08_signals, do_not_stretch_a_sleep) {
    // An interrupted wait could begin anew with its whole time-out.
    // Then a sleep under a signal every 20 us would never end.
    const signal_storm storm;
    for (int i = 0; i < 3; ++i) {
        const auto start = rota::clock::now();
        rota::wait_group wg;
        wg.go([] { rota::sleep_for(std::chrono::milliseconds(100)); });
        std::thread thread([] { rota::sleep_for(std::chrono::milliseconds(100)); });
        wg.wait();
        thread.join();
        EXPECT_GE(rota::clock::now() - start, std::chrono::milliseconds(100));
        EXPECT_LT(rota::clock::now() - start, rota_test::patience);
    }
}

TEST(kb42_signals, are_invisible_to_every_operation) {
    // Any futex wait, sleep or thread start may be interrupted.
    // Then a wake-up could be taken for granted that never came: a worker would stand still or the
    // books be off.
    const signal_storm storm;
    constexpr std::size_t pairs = 4;
    const time_box box;
    progress watch(2 * pairs);
    rota::wait_group wg;
    std::atomic<long> in{0}, out{0};
    for (std::size_t id = 0; id < pairs; ++id) {
        auto ch = rota::make_chan<int>(id % 2);
        wg.go([&, ch, id] {
            while (box.open()) {
                ch.send(1);
                ++in;
                rota::blocking([] {});
                watch.step(2 * id);
            }
            ch.close();
            watch.finish(2 * id);
        });
        wg.go([&, ch, id] {
            for (const int v : ch) {
                out += v;
                rota::sleep_for(std::chrono::microseconds(5));
                watch.step(2 * id + 1);
            }
            watch.finish(2 * id + 1);
        });
    }
    wg.wait();
    EXPECT_EQ(in, out);
}
