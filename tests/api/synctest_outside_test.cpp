// Bubbles and the outside: time stands still while a goroutine of a bubble waits for an event from
// outside. Goroutines that a bubble leaves behind never run again.
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <rota/runtime.hpp>
#include <rota/synctest.hpp>

#include "anywhere.hpp"
#include "sockets.hpp"

namespace {

using namespace rota_test;
using namespace std::chrono_literals;
using rota::clock;

// A wait inside the bubble, and the action outside that ends it. Each holds the objects by value.
struct meeting {
    std::function<void()> wait, end;
};

// The text behind "goroutine N [" in a dump; empty if the goroutine is not there, or runs.
std::string wait_of(std::uint64_t goid) {
    const std::string dump = rota::runtime::stack(true);
    const std::string head = "goroutine " + std::to_string(goid) + " [";
    const auto at = dump.find(head);
    if (at == std::string::npos) return {};
    const auto from = at + head.size();
    std::string state = dump.substr(from, dump.find(']', from) - from);
    return state.rfind("run", 0) == 0 ? std::string() : state;
}

// Waits until the goroutine waits, and then ends its wait.
void end_its_wait(const std::atomic<std::uint64_t>& goid, const std::function<void()>& end) {
    std::string state;
    EXPECT_TRUE(eventually([&] {
        if (goid != 0) state = wait_of(goid);
        return !state.empty();
    }));
    EXPECT_EQ(state.find("durable"), std::string::npos) << state;
    end();
}

enum class outsider { thread, goroutine, other_bubble };

// Runs f at the place `who`; returns a function that waits for its end.
std::function<void()> run_outside(outsider who, std::function<void()> f) {
    if (who == outsider::thread) {
        auto t = std::make_shared<std::thread>(std::move(f));
        return [t] { t->join(); };
    }
    auto done = rota::make_chan<rota::unit>();
    rota::go([=] {
        if (who == outsider::goroutine) f();
        else rota::synctest::test(f);
        done.close();
    });
    return [done] { (void)done.recv(); };
}

// If time did not stand still, the hour would pass, or the bubble would end by "deadlock", before
// the outside has acted.
void expect_time_stands(const char* what, const std::function<meeting()>& made) {
    for (const outsider who : {outsider::thread, outsider::goroutine, outsider::other_bubble}) {
        const std::string which =
            std::string(what) + ", outsider " + std::to_string(static_cast<int>(who));
        const meeting m = made();
        auto goid = std::make_shared<std::atomic<std::uint64_t>>(0);
        const auto join = run_outside(who, [=] { end_its_wait(*goid, m.end); });
        const std::string ended = panic_of([&] {
            rota::synctest::test([=] {
                auto leapt = std::make_shared<bool>(false);
                const rota::timer hour = rota::after_func(1h, [=] { *leapt = true; });
                const auto start = clock::now();
                *goid = rota::runtime::goid();
                m.wait();
                EXPECT_EQ(clock::now(), start) << which;
                EXPECT_FALSE(*leapt) << which;
                hour.stop();
            });
        });
        join();
        EXPECT_EQ(ended, "no panic") << which;
    }
}

template <class T, class... A>
std::shared_ptr<T> shared(A&&... args) {
    return std::make_shared<T>(std::forward<A>(args)...);
}

TEST_ANYWHERE(synctest_outside, ends_a_wait_for_counts) {
    expect_time_stands("wait_group", [] {
        auto o = shared<rota::wait_group>();
        o->add(1);
        return meeting{[o] { o->wait(); }, [o] { o->done(); }};
    });
    expect_time_stands("latch", [] {
        auto o = shared<rota::latch>(1);
        return meeting{[o] { o->wait(); }, [o] { o->count_down(); }};
    });
    expect_time_stands("barrier", [] {
        auto o = shared<rota::barrier<>>(2);
        return meeting{[o] { o->arrive_and_wait(); }, [o] { (void)o->arrive(); }};
    });
    expect_time_stands("semaphore", [] {
        auto o = shared<rota::counting_semaphore<>>(0);
        return meeting{[o] { o->acquire(); }, [o] { o->release(); }};
    });
    expect_time_stands("semaphore, with a limit", [] {
        auto o = shared<rota::counting_semaphore<>>(0);
        return meeting{[o] { EXPECT_TRUE(o->try_acquire_for(2h)); }, [o] { o->release(); }};
    });
    expect_time_stands("weighted_semaphore", [] {
        auto o = shared<rota::weighted_semaphore>(1);
        EXPECT_TRUE(o->try_acquire());
        return meeting{[o] { EXPECT_FALSE(o->acquire(rota::background())); },
                       [o] { o->release(); }};
    });
}

TEST_ANYWHERE(synctest_outside, ends_a_wait_for_a_condition) {
    struct state {
        rota::mutex mu;
        rota::condition_variable changed;
        bool there = false;
    };
    const auto bring = [](const std::shared_ptr<state>& s) {
        const std::lock_guard lock(s->mu);
        s->there = true;
        s->changed.notify_all();
    };
    expect_time_stands("condition_variable", [=] {
        auto s = shared<state>();
        return meeting{[s] {
                           std::unique_lock lock(s->mu);
                           s->changed.wait(lock, [&] { return s->there; });
                       },
                       [s, bring] { bring(s); }};
    });
    expect_time_stands("condition_variable, with a limit", [=] {
        auto s = shared<state>();
        return meeting{[s] {
                           std::unique_lock lock(s->mu);
                           EXPECT_TRUE(s->changed.wait_for(lock, 2h, [&] { return s->there; }));
                       },
                       [s, bring] { bring(s); }};
    });
}

TEST_ANYWHERE(synctest_outside, ends_a_wait_for_a_lock) {
    expect_time_stands("mutex", [] {
        auto o = shared<rota::mutex>();
        o->lock();
        return meeting{[o] { const std::lock_guard lock(*o); }, [o] { o->unlock(); }};
    });
    expect_time_stands("shared_mutex", [] {
        auto o = shared<rota::shared_mutex>();
        o->lock_shared();
        return meeting{[o] { const std::lock_guard lock(*o); }, [o] { o->unlock_shared(); }};
    });
    expect_time_stands("shared_mutex, to read", [] {
        auto o = shared<rota::shared_mutex>();
        o->lock();
        return meeting{[o] {
                           o->lock_shared();
                           o->unlock_shared();
                       },
                       [o] { o->unlock(); }};
    });
}

TEST_ANYWHERE(synctest_outside, ends_a_wait_for_a_call) {
    const auto ended_by = [](const rota::chan<int>& end) { return [end] { end.close(); }; };
    expect_time_stands("future", [=] {
        auto end = rota::make_chan<int>();
        auto o = shared<rota::future<void>>(rota::async([end] { (void)end.recv(); }));
        return meeting{[o] { o->get(); }, ended_by(end)};
    });
    expect_time_stands("future, with a limit", [=] {
        auto end = rota::make_chan<int>();
        auto o = shared<rota::future<void>>(rota::async([end] { (void)end.recv(); }));
        return meeting{[o] { EXPECT_TRUE(o->wait_for(2h)); }, ended_by(end)};
    });
    expect_time_stands("error_group", [=] {
        auto end = rota::make_chan<int>();
        auto o = shared<rota::error_group>();
        o->go([end] { (void)end.recv(); });
        return meeting{[o] { o->wait(); }, ended_by(end)};
    });
    expect_time_stands("once", [=] {
        auto end = rota::make_chan<int>(), begun = rota::make_chan<int>();
        auto o = shared<rota::once_flag>();
        rota::go([=] {
            rota::call_once(*o, [=] {
                begun.close();
                (void)end.recv();
            });
        });
        (void)begun.recv();
        return meeting{[o] { rota::call_once(*o, [] {}); }, ended_by(end)};
    });
    expect_time_stands("singleflight", [=] {
        auto end = rota::make_chan<int>(), begun = rota::make_chan<int>();
        auto o = shared<rota::singleflight<int, int>>();
        rota::go([=] {
            (void)o->run(1, [=] {
                begun.close();
                (void)end.recv();
                return 7;
            });
        });
        (void)begun.recv();
        return meeting{[o] { EXPECT_EQ(o->run(1, [] { return 8; }).value, 7); }, ended_by(end)};
    });
}

TEST_ANYWHERE(synctest_outside, ends_a_wait_for_a_context) {
    struct cancelled {
        rota::context ctx;
        rota::cancel_func cancel;
    };
    const auto made = [] {
        auto s = shared<cancelled>();
        std::tie(s->ctx, s->cancel) = rota::with_cancel(rota::background());
        return s;
    };
    expect_time_stands("sleep_for with a context", [=] {
        auto s = made();
        return meeting{[s] { EXPECT_TRUE(rota::sleep_for(s->ctx, 2h)); }, [s] { s->cancel(); }};
    });
    expect_time_stands("a context below one from outside", [=] {
        auto s = made();
        return meeting{[s] {
                           const auto [ctx, cancel] = rota::with_cancel(s->ctx);
                           EXPECT_TRUE(rota::sleep_for(ctx, 2h));
                       },
                       [s] { s->cancel(); }};
    });
    expect_time_stands("done, asked for inside first", [=] {
        auto s = made();
        return meeting{[s] { (void)s->ctx.done().recv(); }, [s] { s->cancel(); }};
    });
    expect_time_stands("tokens, or a context", [=] {
        auto s = made();
        return meeting{[s] {
                           rota::weighted_semaphore none(1);
                           EXPECT_TRUE(none.acquire(s->ctx, 2));
                       },
                       [s] { s->cancel(); }};
    });
    expect_time_stands("a stop token", [=] {
        auto source = shared<std::stop_source>();
        return meeting{[source] {
                           const auto bound =
                               rota::with_stop_token(rota::background(), source->get_token());
                           EXPECT_TRUE(rota::sleep_for(bound.first, 2h));
                       },
                       [source] { source->request_stop(); }};
    });
}

TEST_ANYWHERE(synctest_outside, ends_a_wait_in_a_channel) {
    expect_time_stands("receive", [] {
        auto c = rota::make_chan<int>();
        return meeting{[c] { EXPECT_EQ(c.recv(), 1); }, [c] { c.send(1); }};
    });
    expect_time_stands("send", [] {
        auto c = rota::make_chan<int>();
        return meeting{[c] { c.send(1); }, [c] { EXPECT_EQ(c.recv(), 1); }};
    });
    expect_time_stands("receive, with a limit", [] {
        auto c = rota::make_chan<int>();
        return meeting{[c] {
                           int got = 0;
                           EXPECT_EQ(c.recv_for(got, 2h), rota::chan_status::ok);
                       },
                       [c] { c.send(1); }};
    });
    expect_time_stands("select", [] {
        auto c = rota::make_chan<int>();
        return meeting{[c] {
                           auto own = rota::make_chan<int>();
                           rota::select(rota::on_recv(own, [](auto) {}),
                                        rota::on_recv(c, [](auto) {}));
                       },
                       [c] { c.send(1); }};
    });
}

TEST_ANYWHERE(synctest_outside, time_leaps_behind_waits_in_objects_made_inside) {
    // An object of the bubble that is not recognised as such keeps the clock from moving: this
    // would hang.
    rota::synctest::test([] {
        const auto start = clock::now();
        rota::latch landed(1);
        rota::barrier<> meet(2);
        rota::counting_semaphore<> permits(0);
        rota::weighted_semaphore tokens(1);
        auto [ctx, cancel] = rota::with_cancel(rota::background());
        auto [below, cancel_below] = rota::with_timeout(ctx, 30min);
        EXPECT_TRUE(tokens.try_acquire());
        rota::wait_group all;
        all.go([&] { landed.wait(); });
        all.go([&] { meet.arrive_and_wait(); });
        all.go([&] { permits.acquire(); });
        all.go([&] { EXPECT_FALSE(permits.try_acquire_for(1min)); });
        all.go([&] { EXPECT_FALSE(tokens.acquire(rota::background())); });
        all.go([&, c = ctx] { EXPECT_TRUE(rota::sleep_for(c, 24h)); });
        all.go([&, c = below] { EXPECT_TRUE(rota::sleep_for(c, 24h)); });
        all.go([&, c = ctx] { (void)c.done().recv(); });
        rota::error_group group;
        group.go([&] { landed.wait(); });
        rota::sleep_for(1h);
        EXPECT_EQ(clock::now(), start + 1h);
        permits.release();
        tokens.release();
        cancel();
        (void)meet.arrive();
        landed.count_down();
        group.wait();
        all.wait();
    });
}

TEST_ANYWHERE(synctest_outside, a_group_belongs_to_who_adds_first) {
    // The group was made outside, and only the bubble uses it: its address says nothing.
    rota::wait_group group;
    rota::synctest::test([&] {
        const auto start = clock::now();
        group.go([] { rota::sleep_for(1h); });
        group.wait();
        EXPECT_EQ(clock::now(), start + 1h);
    });
    group.go([] {});  // outside again
    group.wait();
}

TEST_ANYWHERE(synctest_outside, an_object_of_an_earlier_bubble_is_none_of_the_next) {
    // Bubbles are reused: code that compares their addresses would take the old channel for its
    // own.
    rota::chan<int> old;
    std::shared_ptr<rota::latch> landed;
    rota::synctest::test([&] {
        old = rota::make_chan<int>();
        landed = shared<rota::latch>(1);
    });
    expect_time_stands("channel", [=] {
        return meeting{[old] { EXPECT_EQ(old.recv(), 1); }, [old] { old.send(1); }};
    });
    auto goid = std::make_shared<std::atomic<std::uint64_t>>(0);
    const auto join =
        run_outside(outsider::thread, [=] { end_its_wait(*goid, [=] { landed->count_down(); }); });
    rota::synctest::test([=] {
        *goid = rota::runtime::goid();
        landed->wait();
    });
    join();
}

TEST_ANYWHERE(synctest_outside, never_runs_who_was_left_in_a_bubble) {
    // The memory to which it refers went with the frames of the test. A wake-up from outside must
    // not run it there.
    leaves_behind(3);
    struct state {
        rota::chan<int> values;
        rota::wait_group group;
        std::atomic<int> ran{0};
    };
    auto s = shared<state>();
    EXPECT_EQ(panic_of([&] {
                  rota::synctest::test([s] {
                      s->values = rota::make_chan<int>();
                      rota::go([s] {
                          (void)s->values.recv();
                          ++s->ran;
                      });
                      rota::go([s] {
                          auto own = rota::make_chan<int>();
                          rota::select(rota::on_recv(own, [](auto) {}),
                                       rota::on_recv(s->values, [](auto) {}));
                          ++s->ran;
                      });
                      s->group.add(1);
                      s->group.wait();
                      ++s->ran;
                  });
              }),
              "deadlock: all goroutines in bubble are blocked");
    s->values.close();
    s->group.done();
    for (int i = 0; i < 100; ++i) give_way();
    EXPECT_EQ(s->ran, 0);
}

TEST_ANYWHERE(synctest_outside, does_not_disturb_deadlines_of_descriptors) {
    // A deadline that used the bubble's clock would stand still meanwhile: the read would never
    // end.
    const ends both = connected();
    rota::synctest::test([&] {
        const auto start = clock::now();
        both.client.set_read_deadline(in(5ms));
        EXPECT_EQ(read_error(both.client), std::errc::timed_out);
        both.client.set_read_deadline(in(-1s));
        EXPECT_EQ(read_error(both.client), std::errc::timed_out);
        both.server.set_deadline(in(5ms));
        EXPECT_EQ(clock::now(), start);
    });
    EXPECT_EQ(read_error(both.server), std::errc::timed_out);  // also after the bubble's end
}

}  // namespace
