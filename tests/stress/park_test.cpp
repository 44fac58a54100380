// Parking and readying as fast as possible, from everywhere: the moment between "findable" and
// "asleep".
#include <atomic>
#include <thread>
#include <vector>

#include "load.hpp"

using rota_test::choices;
using rota_test::eventually;
using rota_test::progress;
using rota_test::scheduler_state;
using rota_test::time_box;

TEST(kb04_park, ping_pong_between_goroutines_never_stops) {
    // A goroutine readied before its registers are saved would run on two threads. A check would
    // then fail, a stack be torn, or a pair stand still.
    constexpr std::size_t pairs = 12;
    const time_box box(std::chrono::milliseconds(1500));
    progress watch(2 * pairs);
    rota::wait_group wg;
    for (std::size_t id = 0; id < pairs; ++id) {
        auto there = rota::make_chan<std::uint64_t>();
        auto back = rota::make_chan<std::uint64_t>();
        wg.go([&, there, back, id] {
            for (std::uint64_t n = 0; box.open(); ++n) {
                there.send(n);
                ASSERT_EQ(back.recv(), n + 1);
                watch.step(2 * id);
            }
            there.close();
            watch.finish(2 * id);
        });
        wg.go([&, there, back, id] {
            for (const std::uint64_t n : there) {
                back.send(n + 1);
                watch.step(2 * id + 1);
            }
            watch.finish(2 * id + 1);
        });
    }
    wg.wait();
}

TEST(kb04_park, ping_pong_between_threads_and_goroutines_never_stops) {
    // As above; a thread parks on a word of its own.
    constexpr std::size_t pairs = 6;
    const time_box box(std::chrono::milliseconds(1500));
    progress watch(2 * pairs);
    rota::wait_group wg;
    std::vector<std::thread> threads;
    for (std::size_t id = 0; id < pairs; ++id) {
        auto there = rota::make_chan<int>();
        auto back = rota::make_chan<int>();
        threads.emplace_back([&, there, back, id] {
            for (int n = 0; box.open(); ++n) {
                there.send(n);
                ASSERT_EQ(back.recv(), n + 1);
                watch.step(2 * id);
            }
            there.close();
            watch.finish(2 * id);
        });
        wg.go([&, there, back, id] {
            for (const int n : there) {
                back.send(n + 1);
                watch.step(2 * id + 1);
            }
            watch.finish(2 * id + 1);
        });
    }
    wg.wait();
    for (auto& t : threads) t.join();
}

TEST(kb04_park, sleeps_of_almost_nothing_never_miss_their_end) {
    // A time-out can fire before its wait is complete. The sleeper could then miss that wake-up and
    // sleep on.
    constexpr std::size_t sleepers = 32;
    const time_box box;
    progress watch(sleepers);
    rota::wait_group wg;
    for (std::size_t id = 0; id < sleepers; ++id) {
        wg.go([&, id] {
            choices choose(id + 71);
            while (box.open()) {
                rota::sleep_for(std::chrono::nanoseconds(1 + choose.below(3000)));
                watch.step(id);
            }
            watch.finish(id);
        });
    }
    wg.wait();
}

TEST(kb04_park, every_primitive_at_once) {
    // Wake-ups through every wait list cross on the same goroutines. A goroutine left in
    // two lists would be woken twice: a check fails, or the ring of tokens breaks.
    constexpr std::size_t workers = 20;
    const time_box box(std::chrono::milliseconds(1500));
    progress watch(workers);
    rota::mutex mu;
    std::vector<rota::chan<int>> ring;
    for (std::size_t i = 0; i < workers; ++i) ring.push_back(rota::make_chan<int>(1));
    std::atomic<long> tokens{0};
    rota::wait_group wg;
    for (std::size_t id = 0; id < workers; ++id) {
        wg.go([&, id] {
            choices choose(id + 77);
            while (box.open()) {
                int v = 0;
                if (ring[id].try_recv(v) == rota::chan_status::ok) {
                    --tokens;
                }
                {
                    const std::lock_guard guard(mu);
                    if (ring[(id + 1) % workers].try_send(1) == rota::chan_status::ok) ++tokens;
                }
                switch (choose.below(5)) {
                    case 0: rota::runtime::gosched(); break;
                    case 1: rota::sleep_for(std::chrono::nanoseconds(choose.below(2000))); break;
                    case 2: rota::async([] { rota::runtime::gosched(); }).get(); break;
                    case 3: {
                        rota::wait_group inner;
                        inner.go([] {});
                        inner.go([] { rota::runtime::gosched(); });
                        inner.wait();
                        break;
                    }
                    default: rota::blocking([] {});
                }
                watch.step(id);
            }
            watch.finish(id);
        });
    }
    wg.wait();
    long left = 0;
    for (const auto& ch : ring) left += static_cast<long>(ch.len());
    EXPECT_EQ(tokens, left) << scheduler_state();
}

TEST(kb09_ping_pong, pairs_share_the_processor_and_let_others_in) {
    // Two goroutines that ready each other could keep the runnext slot and one endless time slice.
    // The second pair, a plain goroutine or a timer would then never run. On one processor shares
    // differ by at most 20. On more, each pair may have a processor, and beside other processes the
    // kernel keeps a thread waiting for any time.
    rota::run([] {
        // A pair may well keep the processor for a slice of 10 ms. In chaos mode each round moves.
        const auto enough = static_cast<std::uint64_t>(rota_test::scaled(1'000'000) /
                                                       (rota_test::in_chaos() ? 50 : 1));
        std::atomic<bool> stop{false};
        struct alignas(64) slot {
            std::atomic<std::uint64_t> n{0};
        } rounds[2];
        rota::wait_group wg;
        for (slot& mine : rounds) {
            auto a = rota::make_chan<int>();
            auto b = rota::make_chan<int>();
            wg.go([&, a, b] {
                while (!stop) {
                    a.send(1);
                    b.recv();
                    mine.n.fetch_add(1, std::memory_order_relaxed);
                }
                a.close();
            });
            wg.go([=] {
                for (const int v : a) b.send(v);
            });
        }
        std::atomic<int> timers{0};
        std::atomic<int> plain{0};
        wg.go([&] {
            while (!stop) {
                rota::sleep_for(std::chrono::microseconds(1));
                ++timers;
            }
        });
        wg.go([&] {
            while (!stop) {
                rota::runtime::gosched();
                ++plain;
            }
        });
        EXPECT_TRUE(eventually([&] {
            const std::uint64_t n0 = rounds[0].n, n1 = rounds[1].n;
            return n0 + n1 >= enough && std::min(n0, n1) >= enough / 40 && timers >= 5 &&
                   plain >= 5;
        })) << rounds[0].n
            << " and " << rounds[1].n << " rounds, " << timers << " timers, " << plain << " turns; "
            << scheduler_state();
        const std::uint64_t n0 = rounds[0].n, n1 = rounds[1].n;
        stop = true;
        wg.wait();
        if (rota::runtime::gomaxprocs(0) > 1) return;
        EXPECT_LT(std::max(n0, n1), 20 * (std::min(n0, n1) + 1)) << n0 << " and " << n1;
    });
}
