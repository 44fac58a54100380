// GOMAXPROCS storms: from 1 to 64 and back, beside everything that a processor carries. Nothing may
// be lost, and nobody may stand still.
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include "../gomaxprocs_restored.hpp"
#include "../slow_call.hpp"
#include "load.hpp"

using namespace std::chrono_literals;
using rota_test::choices;
using rota_test::eventually;
using rota_test::gomaxprocs_restored;
using rota_test::linger;
using rota_test::progress;
using rota_test::scheduler_state;
using rota_test::time_box;

namespace {

// The calls that change the number, from wherever they come.
void storm(choices& choose) {
    static constexpr int numbers[] = {1, 64, 1, 2, 64, 3, 16};
    rota::runtime::gomaxprocs(numbers[choose.below(std::size(numbers))]);
}

// A worker for each thing that ties work to a processor.
enum : std::size_t {
    chans,
    locks,
    sleeps,
    tickers,
    calls,
    spawns,
    yields,
    dumps,
    posts,
    runs,
    all
};

struct world {
    explicit world(time_box& b) : box(b) {}
    time_box& box;
    progress steps{all + 2};
    std::atomic<long> sent{0}, received{0}, spawned{0}, ended{0};
    rota::wait_group wg;

    template <class F>
    void worker(std::size_t id, F step) {
        wg.go([this, id, step] {
            choices choose(id);
            while (box.open()) {
                step(choose);
                steps.step(id);
            }
            steps.finish(id);
        });
    }

    void start() {
        auto ch = rota::make_chan<int>(3);
        wg.go([this, ch] {
            while (ch.recv()) ++received;
        });
        wg.go([this, ch] {
            choices choose(chans);
            while (box.open()) {
                ch.send(1);
                ++sent;
                steps.step(chans);
            }
            steps.finish(chans);
            ch.close();
        });
        worker(locks, [mu = std::make_shared<rota::mutex>()](choices&) {
            const std::lock_guard guard(*mu);
            rota::runtime::gosched();
        });
        worker(sleeps, [](choices& choose) {
            rota::wait_group asleep;
            for (int i = 0; i < 20; ++i) {
                asleep.go(
                    [us = choose.below(3000)] { rota::sleep_for(std::chrono::microseconds(us)); });
            }
            asleep.wait();
        });
        worker(tickers, [](choices& choose) {
            const rota::ticker t(std::chrono::microseconds(100 + choose.below(900)));
            for (int i = 0; i < 3; ++i) t.c().recv();
            t.reset(1h);
            t.stop();
        });
        worker(calls, [](choices& choose) { rota_test::sit_in_a_call(choose.below(200)); });
        worker(spawns, [this](choices& choose) {
            rota::wait_group few;
            const int n = static_cast<int>(choose.below(200));
            for (int i = 0; i < n; ++i) few.go([this] { ++ended; });
            spawned += n;
            few.wait();
        });
        worker(yields, [](choices&) { rota::runtime::gosched(); });
        worker(dumps, [](choices&) {
            // tsan sees the dump read headers of goroutines that are being made.
            if (rota_test::under_tsan) return rota::sleep_for(5ms);
            EXPECT_FALSE(rota::runtime::stack(true).empty());
            rota::sleep_for(5ms);
        });
    }
};

}  // namespace

TEST(kb06_gomaxprocs_storm, from_goroutines_loses_nothing) {
    // Everything that hangs on a processor changes hands thousands of times a second.
    const gomaxprocs_restored at_end;
    time_box box(2000ms);
    rota::run([&] {
        world w(box);
        w.start();
        w.steps.finish(posts);
        w.steps.finish(runs);
        w.worker(all, [](choices& choose) { storm(choose); });
        w.worker(all + 1, [](choices& choose) {
            storm(choose);
            rota::sleep_for(std::chrono::microseconds(choose.below(300)));
        });
        w.wg.wait();
        EXPECT_EQ(w.sent, w.received);
        EXPECT_EQ(w.spawned, w.ended);
    });
    EXPECT_TRUE(rota_test::eventually_alone()) << scheduler_state();
}

TEST(kb06_gomaxprocs_storm, from_threads_beside_posts_and_runs_loses_nothing) {
    // Threads without a processor stop the world, post to it, and serve it for a while.
    const gomaxprocs_restored at_end;
    time_box box(2000ms);
    std::atomic<long> posted{0}, ran{0};
    rota::run([&] {
        world w(box);
        w.start();
        w.steps.finish(all + 1);
        std::vector<std::thread> threads;
        threads.emplace_back([&] {
            choices choose(100);
            while (box.open()) {
                storm(choose);
                w.steps.step(all);
                if (choose.once_in(3)) linger(choose, 500);
            }
            w.steps.finish(all);
        });
        threads.emplace_back([&] {
            while (box.open()) {
                rota::go([&ran] { ++ran; });
                ++posted;
                w.steps.step(posts);
                if (posted % 64 == 0) (void)eventually([&] { return ran == posted; });
            }
            w.steps.finish(posts);
        });
        threads.emplace_back([&] {
            while (box.open()) {
                const int got = rota::run([] {
                    auto ch = rota::make_chan<int>();
                    rota::go([ch] { ch.send(7); });
                    return *ch.recv();
                });
                EXPECT_EQ(got, 7);
                w.steps.step(runs);
            }
            w.steps.finish(runs);
        });
        w.wg.wait();
        rota::blocking([&] {
            for (auto& t : threads) t.join();
        });
        EXPECT_EQ(w.sent, w.received);
        EXPECT_EQ(w.spawned, w.ended);
    });
    EXPECT_TRUE(eventually([&] { return ran == posted; })) << scheduler_state();
    EXPECT_TRUE(rota_test::eventually_alone()) << scheduler_state();
}

TEST(kb05_gomaxprocs_storm, on_an_idle_runtime_wakes_who_is_posted_next) {
    // A wake-up outside the books: an m listed twice, a poller that nobody follows.
    const gomaxprocs_restored at_end;
    time_box box;
    progress steps(2);
    std::atomic<bool> over{false};
    std::thread stormer([&] {
        choices choose(1);
        while (!over) {
            storm(choose);
            steps.step(0);
            linger(choose, 100);
        }
        steps.finish(0);
    });
    choices choose(2);
    while (box.open()) {
        std::atomic<int> ran{0};
        rota::go([&ran] { ++ran; });
        rota::go([&ran, us = choose.below(1500)] {
            rota::sleep_for(std::chrono::microseconds(us));
            ++ran;
        });
        ASSERT_TRUE(eventually([&] { return ran == 2; })) << scheduler_state();
        steps.step(1);
    }
    steps.finish(1);
    over = true;
    stormer.join();
    EXPECT_TRUE(rota_test::eventually_alone()) << scheduler_state();
}
