// rota::timer, rota::ticker, rota::after, rota::tick and rota::after_func.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "anywhere.hpp"
#include "memory.hpp"
#include "parked.hpp"
#include "timers.hpp"

using namespace std::chrono_literals;
using rota_test::eventually;
using rota_test::is_empty;
using rota_test::panic_of;
using rota_test::scaled;
using rota_test::scheduler_state;
using time_point = rota::clock::time_point;

static_assert(std::is_copy_constructible_v<rota::timer> && std::is_copy_assignable_v<rota::timer>);
static_assert(std::is_nothrow_move_constructible_v<rota::ticker>);
static_assert(std::is_same_v<decltype(rota::after(1s)), rota::recv_chan<time_point>>);
static_assert(std::is_same_v<decltype(rota::tick(1s)), rota::recv_chan<time_point>>);
static_assert(!std::is_convertible_v<std::chrono::seconds, rota::timer>);

namespace {

// Counts its living copies.
struct captured {
    explicit captured(std::atomic<int>& n) : alive(&n) { ++*alive; }
    captured(captured&& other) noexcept : alive(other.alive) { ++*alive; }
    captured(const captured&) = delete;
    ~captured() { --*alive; }
    std::atomic<int>* alive;
};

}  // namespace

TEST_ANYWHERE(timer, sends_the_time_once_when_it_has_come) {
    // It could fire early, carry another time, or fire again.
    for (const auto d : {0ns, 1ns, 300'000ns, 5'000'000ns}) {
        const time_point start = rota::clock::now();
        const rota::timer t(d);
        const std::optional<time_point> at = t.c().recv();
        ASSERT_TRUE(at.has_value());
        EXPECT_GE(*at, start + d);
        EXPECT_LE(*at, rota::clock::now());
        EXPECT_TRUE(is_empty(t.c()));
        EXPECT_FALSE(t.stop()) << "its value has been received";
    }
}

TEST_ANYWHERE(timer, of_nothing_or_less_fires_at_once) {
    // Negative durations could be taken for very long durations.
    EXPECT_TRUE(rota::timer(-1ns).c().recv().has_value());
    EXPECT_TRUE(rota::after(std::chrono::nanoseconds::min()).recv().has_value());
    EXPECT_TRUE(rota::after(std::chrono::hours::min()).recv().has_value());
    EXPECT_TRUE(rota::after(std::chrono::duration<double>(-1e300)).recv().has_value());
    rota::timer t(1h);
    EXPECT_TRUE(t.reset(-5s));
    EXPECT_TRUE(t.c().recv().has_value());
}

TEST_ANYWHERE(timer, that_is_due_when_it_is_set_has_sent_by_then) {
    // It could lie in a heap until the next batch of due timers.
    for (int i = 0; i < 1000; ++i) {
        rota::timer t(0ns);
        EXPECT_FALSE(is_empty(t.c()));
        t.reset(1h);
        EXPECT_TRUE(is_empty(t.c()));
        EXPECT_TRUE(t.reset(-1s));
        EXPECT_TRUE(t.stop());
        EXPECT_TRUE(is_empty(t.c())) << "stop has voided it";
        EXPECT_FALSE(t.reset(0ns));
        EXPECT_TRUE(t.reset(0ns)) << "what was not received is voided";
        EXPECT_FALSE(is_empty(t.c()));
        EXPECT_TRUE(is_empty(t.c())) << "sent twice";
    }
}

TEST_ANYWHERE(timer, that_is_reset_to_be_due_wakes_who_waits) {
    for (int i = 0; i < scaled(1000); ++i) {
        rota::timer t(1h);
        ASSERT_TRUE(rota_test::go_and_park([&] { (void)t.c().recv(); }));
        EXPECT_TRUE(t.reset(0ns));
        ASSERT_TRUE(rota_test::eventually_alone());
    }
}

TEST(timer, calls_that_are_due_when_they_are_set_begin_as_by_go) {
    // One p: the goroutine is next in its queue, whatever the last batch of timers was.
    const int procs = rota::runtime::gomaxprocs(1);
    rota::run([] {
        std::atomic<int> calls{0};
        int waited = 0;  // rounds in which one turn was not enough
        for (int i = 1; i <= 1000; ++i) {
            const rota::timer t = rota::after_func(0ns, [&] { ++calls; });
            rota::runtime::gosched();
            // Sysmon takes the p of a thread that has no processor of the machine. This goroutine
            // then stands in another queue than the call.
            if (calls != i) ++waited;
            ASSERT_TRUE(eventually([&] { return calls == i; })) << calls;
            EXPECT_FALSE(t.stop()) << "it has been called";
        }
        EXPECT_LE(waited, 100);
    });
    rota::runtime::gomaxprocs(procs);
}

TEST_ANYWHERE(timer, call_is_made_for_each_reset_to_zero) {
    std::atomic<int> calls{0};
    rota::timer t = rota::after_func(1h, [&] { ++calls; });
    EXPECT_TRUE(t.reset(0ns));
    for (int i = 1; i < 100; ++i) EXPECT_FALSE(t.reset(0ns));
    EXPECT_TRUE(eventually([&] { return calls == 100; })) << calls;
    EXPECT_FALSE(t.stop());
    EXPECT_TRUE(rota_test::eventually_alone());
    EXPECT_EQ(calls, 100);
}

TEST(timer, an_endless_loop_of_due_timers_starves_nobody) {
    // One p: the loops neither park nor end, so only the time slice lets other goroutines run.
    const int procs = rota::runtime::gomaxprocs(1);
    rota::run([] {
        std::atomic<bool> stop{false};
        std::atomic<long> fired{0}, called{0};
        rota::wait_group loops;
        loops.go([&] {
            while (!stop) {
                (void)rota::timer(0ns).c().recv();
                ++fired;
            }
        });
        auto over = rota::make_chan<rota::unit>();
        rota::timer chain = rota::after_func(1h, [&] {
            ++called;
            if (stop) over.close();
            else chain.reset(0ns);
        });
        chain.reset(0ns);
        for (int turns = 0; turns < 5; ++turns) {
            const long fired_then = fired, called_then = called;
            EXPECT_TRUE(eventually([&] { return fired > fired_then && called > called_then; }));
        }
        stop = true;
        loops.wait();
        over.recv();
    });
    rota::runtime::gomaxprocs(procs);
}

TEST(timer, consecutive_short_sleeps_do_not_wait_for_batches) {
    // Batches are a quarter of a millisecond apart. The fastest of many sleeps counts, since other
    // threads may have the processor.
    const int procs = rota::runtime::gomaxprocs(1);
    rota::run([] {
        auto fastest = rota::clock::duration::max();
        for (int i = 0; i < 200; ++i) {
            const time_point start = rota::clock::now();
            rota::sleep_for(20us);
            rota::sleep_for(20us);
            fastest = std::min(fastest, rota::clock::now() - start);
        }
        EXPECT_LT(fastest, 250us);
    });
    rota::runtime::gomaxprocs(procs);
}

TEST_ANYWHERE(kb30_timer, beyond_the_clocks_range_never_fires) {
    // The longest durations could overflow to "now".
    using std::numeric_limits;
    const std::vector<rota::timer> timers = {
        rota::timer(std::chrono::nanoseconds::max()),
        rota::timer(std::chrono::hours::max()),
        rota::timer(std::chrono::duration<double>(1e300)),
        rota::timer(std::chrono::duration<double>(numeric_limits<double>::infinity())),
        rota::timer(std::chrono::duration<std::uint64_t>(numeric_limits<std::uint64_t>::max())),
        rota::timer(std::chrono::duration<long long, std::ratio<31'556'952>>(300))};
    EXPECT_TRUE(rota::after(1ms).recv().has_value());
    for (const rota::timer& t : timers) {
        EXPECT_TRUE(is_empty(t.c()));
        EXPECT_TRUE(t.stop());
    }
}

TEST_ANYWHERE(kb29_timer, stop_tells_whether_a_value_is_kept_from_the_receiver) {
    // A wrong answer makes programs wait for a value that never comes, or leave a value that does.
    const rota::timer never(1h);
    EXPECT_TRUE(never.stop());
    EXPECT_FALSE(never.stop()) << "stopped before";
    EXPECT_TRUE(is_empty(never.c()));
    const rota::timer fired(1ms);
    (void)fired.c().recv();
    EXPECT_FALSE(fired.stop());
}

TEST_ANYWHERE(kb29_timer, no_value_of_before_is_received_after_stop) {
    // The value that waits in the channel belongs to the start that stop ends.
    for (int i = 0; i < 20; ++i) {
        const rota::timer t(std::chrono::microseconds(i * 20));
        const rota::timer later(400us);
        (void)later.c().recv();
        EXPECT_TRUE(t.stop()) << "nobody has received its value";
        EXPECT_TRUE(is_empty(t.c()));
        EXPECT_FALSE(t.stop());
    }
}

TEST_ANYWHERE(kb29_timer, reset_gives_exactly_one_new_value) {
    // A timer that has fired without a receiver could give two values: the old and the new.
    const rota::timer t(0s);
    for (int i = 0; i < 20; ++i) {
        (void)rota::after(50us).recv();
        const time_point start = rota::clock::now();
        (void)t.reset(200us);
        const std::optional<time_point> at = t.c().recv();
        EXPECT_GE(*at, start + 200us) << "a value of before";
        EXPECT_TRUE(is_empty(t.c()));
    }
    EXPECT_FALSE(t.reset(1h)) << "its value has been received";
    EXPECT_TRUE(t.reset(1h));
    EXPECT_TRUE(t.reset(0s));
    (void)t.c().recv();
}

TEST_ANYWHERE(kb27_timer, moved_to_an_earlier_time_fires_then) {
    // A thread that sleeps until the old moment must be woken: otherwise this takes an hour.
    const rota::timer t(1h);
    rota::wait_group wg;
    wg.go([t] { (void)t.c().recv(); });
    rota::sleep_for(1ms);
    EXPECT_TRUE(t.reset(1ms));
    wg.wait();
}

TEST_ANYWHERE(kb27_timer, moved_to_a_later_time_does_not_fire_before) {
    const rota::timer t(2ms);
    const time_point start = rota::clock::now();
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(t.reset(20ms));
    EXPECT_GE(*t.c().recv(), start + 20ms);
}

TEST_ANYWHERE(kb29_timer, stop_and_reset_race_with_the_moment_itself) {
    // A value on its way while stop returns could come afterwards.
    for (int i = 0; i < rota_test::scaled(300); ++i) {
        const rota::timer t(std::chrono::microseconds(i % 50));
        rota::wait_group wg;
        std::atomic<int> received{0};
        wg.go([&] {
            time_point at;
            for (int k = 0; k < 20; ++k) {
                received += t.c().try_recv(at) == rota::chan_status::ok;
                rota::runtime::gosched();
            }
        });
        const bool stopped = t.stop();
        const bool empty = is_empty(t.c());
        wg.wait();
        EXPECT_TRUE(empty);
        EXPECT_EQ(received + stopped, 1) << "received and stopped, or neither; round " << i;
    }
}

TEST_ANYWHERE(timer, a_copy_is_the_same_timer) {
    // A copy with a state of its own would go on when the original is stopped.
    const rota::timer t(1h);
    const rota::timer same = t;  // NOLINT
    EXPECT_TRUE(same == t);
    EXPECT_TRUE(same.c() == t.c());
    EXPECT_TRUE(same.stop());
    EXPECT_FALSE(t.stop());
    [t] { (void)t.reset(0s); }();
    EXPECT_TRUE(same.c().recv().has_value());
}

TEST_ANYWHERE(kb31_timer, misuse_is_a_panic_and_leaves_every_other_timer_usable) {
    // A panic thrown under a lock would block the next caller.
    rota::timer empty;
    rota::ticker none;
    EXPECT_FALSE(static_cast<bool>(empty.c()));
    EXPECT_EQ(panic_of([&] { empty.stop(); }), "time: Stop called on uninitialized Timer");
    EXPECT_EQ(panic_of([&] { empty.reset(1s); }), "time: Reset called on uninitialized Timer");
    EXPECT_EQ(panic_of([&] { none.reset(1s); }), "time: Reset called on uninitialized Ticker");
    none.stop();
    EXPECT_EQ(panic_of([] { rota::ticker t(0s); }), "non-positive interval for NewTicker");
    EXPECT_EQ(panic_of([] { rota::ticker t(-1ns); }), "non-positive interval for NewTicker");
    const rota::ticker ticks(1h);
    EXPECT_EQ(panic_of([&] { ticks.reset(0s); }), "non-positive interval for NewTicker");
    ticks.reset(1ms);
    EXPECT_TRUE(ticks.c().recv().has_value());
    ticks.stop();
    empty = rota::timer(0s);
    EXPECT_TRUE(empty.c().recv().has_value());
    EXPECT_FALSE(empty.stop());
}

TEST_ANYWHERE(timer, is_heard_of_by_whoever_holds_its_channel) {
    // Dropping the handle could stop a timer on whose channel a goroutine waits.
    rota::recv_chan<time_point> c = rota::timer(1ms).c();
    EXPECT_TRUE(c.recv().has_value());
    c = rota::after(1ms);
    rota::wait_group wg;
    wg.go([c = std::move(c)] { EXPECT_TRUE(c.recv().has_value()); });
    wg.wait();
}

TEST_ANYWHERE(timer, is_released_when_nobody_can_receive_any_more) {
    // A timer that its heap keeps alive would pile up: a program that waits with a time limit makes
    // a timer for each wait. A hundred thousand of them would take 30 MiB.
    constexpr int many = 100'000;
    const auto drop = [](int n) {
        for (int i = 0; i < n; ++i) {
            (void)rota::after(1h);
            if (i % 10 == 0) (void)rota::tick(1us);
            if (i % 10 == 1) (void)rota::timer(std::chrono::nanoseconds(i % 1000));
        }
    };
    drop(rota_test::scaled(many / 10));
    const long before = rota_test::resident_kib();
    drop(rota_test::scaled(many));
    const long grown = rota_test::resident_kib() - before;
    if (!rota_test::under_asan && !rota_test::under_tsan) {  // they keep freed memory
        EXPECT_LT(grown, 4 * 1024) << rota_test::scheduler_state();
    }
}

TEST_ANYWHERE(timer, is_used_by_many_goroutines_and_threads_at_once) {
    // Stops, resets, receives and the moment itself, at the same time: no crash, and in the end the
    // timer works.
    const rota::timer t(1us);
    rota::wait_group wg;
    const auto work = [t](int seed) {
        time_point at;
        for (int i = 0; i < 500; ++i) {
            switch ((i * 7 + seed) % 4) {
                case 0: t.stop(); break;
                case 1: t.reset(std::chrono::microseconds(i % 30)); break;
                case 2: (void)t.c().try_recv(at); break;
                default: rota::runtime::gosched();
            }
        }
    };
    for (int i = 0; i < 4; ++i) wg.go([&work, i] { work(i); });
    std::thread thread([&] { work(4); });
    wg.wait();
    thread.join();
    t.stop();
    EXPECT_TRUE(is_empty(t.c()));
    t.reset(1us);
    EXPECT_TRUE(t.c().recv().has_value());
}

TEST_ANYWHERE(ticker, sends_the_time_again_and_again) {
    // Each tick comes after the tick before, and none before its time.
    const time_point start = rota::clock::now();
    const rota::ticker t(1ms);
    time_point last = start;
    for (int i = 1; i <= 5; ++i) {
        const std::optional<time_point> at = t.c().recv();
        ASSERT_TRUE(at.has_value());
        EXPECT_GE(*at, start + i * 1ms);
        EXPECT_GT(*at, last);
        last = *at;
    }
    t.stop();
}

TEST_ANYWHERE(ticker, drops_the_ticks_that_nobody_receives) {
    // They could pile up in the channel, or the poller could wake for each of them.
    const rota::ticker t(100us);
    EXPECT_TRUE(t.c().recv().has_value());
    rota::sleep_for(5ms);  // the load: dozens of ticks, if there are processors for them
    const time_point start = rota::clock::now();
    time_point at;
    int received = 0;
    while (t.c().try_recv(at) == rota::chan_status::ok) ++received;
    EXPECT_LE(received, 2 + (rota::clock::now() - start) / 100us) << "more than one was kept";
    EXPECT_TRUE(t.c().recv().has_value()) << "it goes on";
    t.stop();
}

TEST_ANYWHERE(kb29_ticker, nothing_is_received_after_stop) {
    // Neither the waiting tick nor a tick on its way may come.
    for (int i = 0; i < 50; ++i) {
        const rota::ticker t(10us);
        (void)t.c().recv();
        t.stop();
        EXPECT_TRUE(is_empty(t.c()));
        t.reset(20us);
        EXPECT_TRUE(t.c().recv().has_value());
        t.stop();
        EXPECT_TRUE(is_empty(t.c()));
    }
}

TEST_ANYWHERE(ticker, reset_counts_the_new_interval_from_now) {
    const rota::ticker t(50us);
    (void)t.c().recv();
    const time_point start = rota::clock::now();
    t.reset(3ms);
    EXPECT_GE(*t.c().recv(), start + 3ms) << "a tick of the old interval";
    EXPECT_GE(*t.c().recv(), start + 6ms);
    t.reset(1h);
    EXPECT_TRUE(is_empty(t.c()));
}

TEST_ANYWHERE(timer, channels_have_neither_length_nor_capacity) {
    // As in Go since 1.23. A program may ask whether a value waits, and drop it after a stop: it
    // would then look at the runtime's own buffer.
    const rota::timer t(0s);
    const rota::ticker k(1us);
    rota::timer patience(rota_test::patience);
    EXPECT_EQ(patience.c().cap(), 0u);
    const auto c = rota::after(0s);
    const auto ticks = rota::tick(1us);
    const auto later = rota::after(1ms);
    (void)later.recv();  // the timers above have fired by now
    for (const auto& each : {t.c(), k.c(), c, ticks}) {
        EXPECT_EQ(each.len(), 0u);
        EXPECT_EQ(each.cap(), 0u);
        EXPECT_TRUE(each.recv().has_value());
    }
    k.stop();
    EXPECT_EQ(k.c().len(), 0u);
}

TEST_ANYWHERE(after, sends_the_time_once) {
    // As a timer's, its value could be early, or come twice.
    const time_point start = rota::clock::now();
    const auto c = rota::after(1ms);
    EXPECT_EQ(c.cap(), rota::timer(1h).c().cap());
    const std::optional<time_point> at = c.recv();
    ASSERT_TRUE(at.has_value());
    EXPECT_GE(*at, start + 1ms);
    EXPECT_LE(*at, rota::clock::now());
    EXPECT_TRUE(is_empty(c));
    EXPECT_FALSE(c.closed());
}

TEST_ANYWHERE(tick, is_the_nil_channel_without_an_interval) {
    EXPECT_FALSE(static_cast<bool>(rota::tick(0s)));
    EXPECT_FALSE(static_cast<bool>(rota::tick(-1h)));
    const auto c = rota::tick(200us);
    EXPECT_TRUE(c.recv().has_value());
    EXPECT_TRUE(c.recv().has_value());
}

TEST_ANYWHERE(after_func, calls_in_a_goroutine_of_its_own) {
    const time_point start = rota::clock::now();
    auto done = rota::make_chan<std::uint64_t>();
    const rota::timer t = rota::after_func(1ms, [=] { done.send(rota::runtime::goid()); });
    EXPECT_FALSE(static_cast<bool>(t.c()));
    const std::uint64_t id = *done.recv();
    EXPECT_NE(id, 0u);
    EXPECT_NE(id, rota::runtime::goid());
    EXPECT_GE(rota::clock::now(), start + 1ms);
    EXPECT_FALSE(t.stop()) << "it has been called";
}

TEST_ANYWHERE(after_func, calls_also_when_its_handle_is_gone) {
    auto done = rota::make_chan<int>();
    (void)rota::after_func(1ms, [=] { done.send(7); });
    EXPECT_EQ(done.recv(), 7);
}

TEST_ANYWHERE(after_func, does_not_call_once_stopped) {
    std::atomic<int> calls{0};
    const rota::timer t = rota::after_func(1h, [&] { ++calls; });
    EXPECT_TRUE(t.stop());
    EXPECT_FALSE(t.stop());
    EXPECT_FALSE(t.reset(1us)) << "it was not running";
    EXPECT_TRUE(eventually([&] { return calls == 1; })) << scheduler_state();
    EXPECT_FALSE(t.reset(1us));
    EXPECT_TRUE(eventually([&] { return calls == 2; })) << scheduler_state();
}

TEST_ANYWHERE(after_func, either_stops_or_calls) {
    // After "stopped" its owner may destroy the objects that the function uses; after "called" it
    // waits.
    int stopped = 0;
    std::atomic<int> called{0};
    constexpr int rounds = 200;
    for (int i = 0; i < rounds; ++i) {
        const rota::timer t =
            rota::after_func(std::chrono::microseconds(i % 40), [&] { ++called; });
        for (int k = 0; k < i % 7; ++k) rota::runtime::gosched();
        stopped += t.stop();
    }
    EXPECT_TRUE(eventually([&] { return called + stopped == rounds; }))
        << called << " called, " << stopped << " stopped; " << scheduler_state();
    EXPECT_TRUE(rota_test::eventually_alone());
    EXPECT_EQ(called + stopped, rounds);
}

TEST_ANYWHERE(after_func, takes_functions_that_can_only_be_moved_and_destroys_them) {
    std::atomic<int> alive{0};
    auto done = rota::make_chan<int>();
    {
        auto big = std::make_unique<int>(5);
        (void)rota::after_func(
            0s, [done, c = captured(alive), big = std::move(big)] { done.send(*big); });
        EXPECT_EQ(done.recv(), 5);
    }
    EXPECT_TRUE(eventually([&] { return alive == 0; })) << "called, and its handle has gone";
    {
        const rota::timer t = rota::after_func(1h, [c = captured(alive)] {});
        EXPECT_EQ(alive, 1);
        EXPECT_TRUE(t.stop());
        EXPECT_EQ(alive, 1) << "it may be started again";
    }
    EXPECT_EQ(alive, 0);
    struct alignas(128) wide {
        std::uint64_t words[16] = {};
    };
    (void)rota::after_func(0s, [done, w = wide()] {
        done.send(reinterpret_cast<std::uintptr_t>(&w) % 128 == 0 ? 1 : 0);
    });
    EXPECT_EQ(done.recv(), 1) << "badly aligned";
}

TEST_ANYWHERE(after_func, that_throws_while_it_is_moved_leaves_nothing) {
    struct grumpy {
        grumpy() = default;
        grumpy(grumpy&& other) : moves(other.moves + 1) {
            if (moves == 1) throw std::runtime_error("no");
        }
        void operator()() {}
        int moves = 0;
    };
    EXPECT_THROW((void)rota::after_func(1ms, grumpy{}), std::runtime_error);
}

TEST_ANYWHERE(kb26_timer, thousands_of_all_kinds_come_in_time) {
    // Spread over every heap, started by goroutines and threads: none may be forgotten.
    const int many = rota_test::scaled(2000);
    std::atomic<int> calls{0};
    rota::wait_group wg;
    std::vector<rota::timer> kept;
    for (int i = 0; i < many; ++i) {
        const auto d = std::chrono::microseconds(i * 13 % 20'000);
        wg.go([&calls, d] { (void)rota::after_func(d, [&calls] { ++calls; }); });
        kept.push_back(rota::timer(d));
    }
    wg.wait();
    for (const rota::timer& t : kept) EXPECT_TRUE(t.c().recv().has_value());
    EXPECT_TRUE(eventually([&] { return calls == many; })) << calls << "; " << scheduler_state();
}
