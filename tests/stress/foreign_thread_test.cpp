// Threads of the program's own: they post work to an idle runtime, come and go, and wait beside
// goroutines.
#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "load.hpp"

using rota_test::choices;
using rota_test::progress;
using rota_test::scheduler_state;
using rota_test::spin_until;
using rota_test::time_box;

TEST(kb03_foreign_post, to_an_idle_runtime_always_runs) {
    // A poster that sees no sleeper skips the signal, perhaps for the worker that is about to
    // sleep. The posted goroutine would then not run until a further event: the wait here is
    // bounded.
    const int many = rota_test::by_effort(rota_test::scaled(100'000));
    choices choose(21);
    std::atomic<int> ran{0};
    for (int i = 1; i <= many; ++i) {
        // The moments around the end of the worker's spin are the dangerous moments.
        if (choose.once_in(4)) rota_test::burn(std::chrono::microseconds(choose.below(40)));
        rota::go([&ran] { ran.fetch_add(1); });
        ASSERT_TRUE(spin_until([&] { return ran == i; }))
            << "post " << i << "; " << scheduler_state();
    }
}

TEST(kb03_foreign_post, wakes_a_parked_goroutine_every_time) {
    // As above for a wake-up through a channel instead of a new goroutine.
    const time_box box(std::chrono::milliseconds(2000));
    choices choose(22);
    auto to = rota::make_chan<int>();
    std::atomic<int> got{0};
    rota::go([&, to] {
        for (const int v : to) got = v;
    });
    for (int i = 1; box.open(); ++i) {
        if (choose.once_in(3)) rota_test::burn(std::chrono::microseconds(choose.below(60)));
        to.send(i);
        ASSERT_TRUE(spin_until([&] { return got == i; }))
            << "send " << i << "; " << scheduler_state();
    }
    to.close();
}

TEST(foreign_threads, by_the_ten_thousand_come_use_channels_locks_and_timers_and_go) {
    // The runtime reuses a thread's record when the thread ends; a stale link to it would wake the
    // wrong thread. An answer would then go astray, or a thread never end; asan would report a
    // record used too long.
    const int many = std::max(rota_test::by_effort(rota_test::scaled(3000)),
                              rota_test::in_chaos() ? 0 : rota_test::scaled(10'000));
    constexpr int at_once = 8;
    rota::mutex guard;
    int counted = 0;
    auto requests = rota::make_chan<std::pair<int, rota::chan<int>>>(4);
    for (int i = 0; i < 3; ++i) {
        rota::go([requests] {
            for (auto& [n, reply] : requests) {
                if (n % 3 == 0) rota::sleep_for(std::chrono::microseconds(n % 50));
                reply.send(n + 1);
            }
        });
    }
    std::atomic<int> served{0};
    progress watch(1);
    for (int done = 0; done < many; done += at_once) {
        std::vector<std::thread> threads;
        for (int t = 0; t < at_once; ++t) {
            threads.emplace_back([&, t, done] {
                auto reply = rota::make_chan<int>(static_cast<std::size_t>(t % 2));
                requests.send({done + t, reply});
                EXPECT_EQ(reply.recv(), done + t + 1);
                if (t == 0) rota::sleep_for(std::chrono::microseconds(done % 50));
                const std::lock_guard held(guard);
                ++counted;
                ++served;
            });
        }
        for (auto& t : threads) t.join();
        watch.step(0);
    }
    requests.close();
    EXPECT_GE(served, many);
    EXPECT_EQ(counted, served);
    // The runtime reuses records of ended threads: there are only as many as threads lived at once.
    EXPECT_LT(rota::runtime::num_thread(), 200) << scheduler_state();
}

TEST(foreign_threads, that_call_run_come_and_go) {
    // A thread inside run is a worker and takes part in everything; its end must leave nothing
    // behind. Otherwise the sum would be wrong, or a later run would find no processor.
    const time_box box;
    progress watch(1);
    while (box.open()) {
        std::atomic<int> sum{0};
        std::vector<std::thread> threads;
        for (int t = 0; t < 6; ++t) {
            threads.emplace_back([&, t] {
                sum += rota::run([t] {
                    auto ch = rota::make_chan<int>();
                    for (int i = 0; i < 20; ++i) {
                        rota::go([ch, t] { ch.send(t); });
                    }
                    int n = 0;
                    for (int i = 0; i < 20; ++i) n += *ch.recv();
                    return n;
                });
            });
        }
        for (auto& t : threads) t.join();
        ASSERT_EQ(sum, 20 * 15);
        watch.step(0);
    }
}

TEST(foreign_threads, contend_with_goroutines_for_everything) {
    // Waiters of both kinds stand in the same queues. A wake-up meant for one kind could be lost on
    // the other: a worker would stand still.
    constexpr std::size_t workers = 12;
    const time_box box;
    rota::mutex mu;
    long plain = 0;
    std::atomic<long> expected{0};
    auto tokens = rota::make_chan<rota::unit>(3);
    progress watch(workers);
    const auto work = [&](std::size_t id) {
        choices choose(id + 60);
        while (box.open()) {
            tokens.send({});
            mu.lock();
            ++plain;
            ++expected;
            if (choose.once_in(30)) rota::sleep_for(std::chrono::microseconds(10));
            mu.unlock();
            auto f = rota::async([] { return 1; });
            EXPECT_EQ(f.get(), 1);
            tokens.recv();
            watch.step(id);
        }
        watch.finish(id);
    };
    std::vector<std::thread> threads;
    rota::wait_group wg;
    for (std::size_t id = 0; id < workers; ++id) {
        if (id % 2 == 0) threads.emplace_back([&, id] { work(id); });
        else wg.go([&, id] { work(id); });
    }
    wg.wait();
    for (auto& t : threads) t.join();
    EXPECT_EQ(plain, expected);
    EXPECT_EQ(tokens.len(), 0u);
}
