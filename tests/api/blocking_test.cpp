// rota::blocking: a call that blocks its thread must not keep the processor from other goroutines.
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include <poll.h>
#include <unistd.h>

#include "../slow_call.hpp"
#include "anywhere.hpp"

using rota_test::eventually;
using rota_test::scheduler_state;

namespace {

// A door that blocks whole threads, like foreign code.
class door {
  public:
    void wait() {
        std::unique_lock guard(mu_);
        ++inside_;
        open_.wait(guard, [&] { return opened_; });
        --inside_;
    }
    void open() {
        const std::lock_guard guard(mu_);
        opened_ = true;
        open_.notify_all();
    }
    int inside() const {
        const std::lock_guard guard(mu_);
        return inside_;
    }

  private:
    mutable std::mutex mu_;
    std::condition_variable open_;
    bool opened_ = false;
    int inside_ = 0;
};

}  // namespace

TEST_ANYWHERE(blocking, returns_values_references_and_nothing) {
    // The result could be copied, or a reference to a temporary come back.
    // Then the address would differ, or the move-only type would not compile.
    EXPECT_EQ(rota::blocking([] { return 7; }), 7);
    EXPECT_EQ(*rota::blocking([] { return std::make_unique<int>(8); }), 8);
    int variable = 0;
    int& got = rota::blocking([&]() -> int& { return variable; });
    EXPECT_EQ(&got, &variable);
    rota::blocking([&] { variable = 1; });
    EXPECT_EQ(variable, 1);
}

TEST_ANYWHERE(blocking, lets_exceptions_through) {
    // The exit by exception could skip the end of the system call. Then the goroutine would
    // continue without a processor, and its next operation would fail a check.
    for (int i = 0; i < 100; ++i) {
        EXPECT_THROW(rota::blocking([] { throw std::range_error("x"); }), std::range_error);
        auto ch = rota::make_chan<int>();
        rota::go([ch] { ch.send(1); });
        ASSERT_EQ(ch.recv(), 1);
    }
}

TEST_ANYWHERE(blocking, keeps_errno_for_the_function_itself) {
    // The entry into the blocking section could change the thread's errno between the call and the
    // read. Then the function would read a value that its own call did not set.
    for (int i = 0; i < 200; ++i) {
        const int error = rota::blocking([] { return ::close(-1) == 0 ? 0 : errno; });
        ASSERT_EQ(error, EBADF);
    }
}

TEST_ANYWHERE(blocking, others_run_while_all_processors_are_blocked) {
    // The processor of a blocked thread could stay with it. Then the goroutine that writes to the
    // pipe would never run, and the read would never return.
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const int blocked = rota::runtime::gomaxprocs(0);
    rota::wait_group wg;
    std::atomic<int> bytes{0};
    for (int i = 0; i < blocked; ++i) {
        wg.go([&] {
            char c = 0;
            bytes += static_cast<int>(rota::blocking([&] { return ::read(ends[0], &c, 1); }));
        });
    }
    wg.go([&] {
        for (int i = 0; i < blocked; ++i) EXPECT_EQ(::write(ends[1], "x", 1), 1);
    });
    wg.wait();
    EXPECT_EQ(bytes, blocked);
    ::close(ends[0]);
    ::close(ends[1]);
}

TEST_ANYWHERE(blocking, any_number_may_be_inside_at_once) {
    // The number of threads could be limited to the number of processors. Then some goroutines
    // would never reach the door, and it would never open.
    constexpr int many = 40;
    door d;
    rota::wait_group wg;
    for (int i = 0; i < many; ++i) wg.go([&] { rota::blocking([&] { d.wait(); }); });
    EXPECT_TRUE(eventually([&] { return d.inside() == many; }))
        << d.inside() << " inside; " << scheduler_state();
    d.open();
    wg.wait();
}

TEST_ANYWHERE(blocking, may_be_nested) {
    // The inner end could finish the outer section too early, or the outer end could hang without a
    // processor. Then a check would fail, or the watchdog would end the test.
    for (int i = 0; i < 100; ++i) {
        const int n = rota::blocking([] {
            const int inner = rota::blocking([] { return 20; });
            return inner + rota::blocking([] { return 22; });
        });
        ASSERT_EQ(n, 42);
    }
    auto ch = rota::make_chan<int>(1);
    ch.send(1);
    EXPECT_EQ(ch.recv(), 1);
}

TEST_ANYWHERE(blocking, the_function_may_use_rota) {
    // Inside, the goroutine has no processor: an operation must take one first, and may park.
    // Otherwise queues would be used without an owner; checks and tsan would detect that.
    for (int i = 0; i < rota_test::scaled(500); ++i) {
        auto ch = rota::make_chan<int>();
        rota::mutex mu;
        rota::wait_group wg;
        wg.add(1);
        rota::blocking([&] {
            rota::go([&] {
                ch.send(3);
                wg.done();
            });
            EXPECT_EQ(ch.recv(), 3);  // parks
            mu.lock();
            rota::runtime::gosched();
            mu.unlock();
            rota::sleep_for(std::chrono::microseconds(1));
        });
        wg.wait();
    }
}

TEST_ANYWHERE(blocking, storm_of_short_calls_loses_nobody) {
    // Exit and retake race for the processor. If both or neither took it, a goroutine would be
    // lost, or a check would fail.
    constexpr int goroutines = 16;
    constexpr int each = rota_test::scaled(2000);
    std::atomic<int> done{0};
    rota::wait_group wg;
    for (int g = 0; g < goroutines; ++g) {
        wg.go([&] {
            for (int i = 0; i < each; ++i) {
                rota::blocking([&] { (void)::poll(nullptr, 0, i % 64 == 0 ? 1 : 0); });
                ++done;
            }
        });
    }
    wg.wait();
    EXPECT_EQ(done, goroutines * each) << scheduler_state();
}

TEST(blocking, in_a_thread_outside_rota_it_only_calls) {
    // A thread without an m could get one, or crash because it lacks one. Then the call would not
    // return its value.
    std::thread([] { EXPECT_EQ(rota::blocking([] { return 5; }), 5); }).join();
}

TEST(blocking, identity_survives) {
    // The goroutine could come back on the wrong m, as a different goroutine. Then its number would
    // have changed.
    rota::run([] {
        rota::wait_group wg;
        for (int i = 0; i < 20; ++i) {
            wg.go([] {
                const auto id = rota::runtime::goid();
                for (int k = 0; k < 50; ++k) {
                    rota::blocking([&] {
                        EXPECT_EQ(rota::runtime::goid(), id);
                        std::this_thread::yield();
                    });
                    EXPECT_EQ(rota::runtime::goid(), id);
                }
            });
        }
        wg.wait();
    });
}

TEST_ANYWHERE(kb13_select, a_busy_loop_is_ended_by_a_timer) {
    // The loop never waits: with one processor no other thread would check the timers.
    for (const bool calls : {false, true}) {
        const auto late = rota::after(std::chrono::milliseconds(20));
        const auto until = std::chrono::steady_clock::now() + rota_test::patience;
        bool came = false;
        while (!came && std::chrono::steady_clock::now() < until) {
            rota::select(rota::on_recv(late, [&](auto) { came = true; }), rota::on_default([] {}));
            if (calls) rota::blocking([] {});
        }
        EXPECT_TRUE(came) << (calls ? "with calls" : "without calls");
    }
}

TEST_ANYWHERE(kb13_blocking, goroutines_that_go_from_call_to_call_let_timers_come_due) {
    // Each goroutine keeps its processor: sysmon sees a new call at each check, and retakes no p.
    // If each p stays like that, no m checks the timers, and the calls reach their limit. Each
    // goroutine first computes until sysmon checks only once in 10 ms.
    constexpr int calls_max = 400;
    std::atomic<int> awake{0}, gave_up{0};
    const int procs = rota::runtime::gomaxprocs(0);
    rota::wait_group all;
    for (int i = 0; i < procs; ++i) {
        all.go([&] {
            rota::sleep_for(std::chrono::milliseconds(60));
            ++awake;
        });
        all.go([&] {
            const auto begun = rota::clock::now();
            while (rota::clock::now() - begun < std::chrono::milliseconds(50))
                rota::runtime::gosched();
            int n = 0;
            while (awake < procs && ++n <= calls_max) rota_test::sit_in_a_call(8'000);
            if (n > calls_max) ++gave_up;
        });
    }
    all.wait();
    EXPECT_EQ(gave_up, 0) << scheduler_state();
}
